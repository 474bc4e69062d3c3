def rounded(of):
    return {name: round(value.item(), 4) for name, value in of.callback_metrics.items()}
