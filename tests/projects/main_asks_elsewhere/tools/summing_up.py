from .rounding import rounded


def results(run):
    return {"epochs": run.current_epoch, **rounded(run)}
