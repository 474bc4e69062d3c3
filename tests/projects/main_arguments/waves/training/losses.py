from torch.nn import functional as F


def smoothed_cross_entropy(logits, labels, smoothing):
    return F.cross_entropy(logits, labels, label_smoothing=smoothing)
