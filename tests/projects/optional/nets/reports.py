import no_such_reports


def write(model):
    no_such_reports.write(model)
