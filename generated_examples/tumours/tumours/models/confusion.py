import torch
from torch import Tensor, nn


class Confusion(nn.Module):
    """Counts what was taken for what."""

    counts: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("counts", torch.zeros(2, 2, dtype=torch.long), persistent=False)

    def clear(self) -> None:
        self.counts.zero_()

    def add(self, scores: Tensor, malignant: Tensor) -> None:
        for truth, guess in zip(malignant.long(), (scores > 0).long(), strict=True):
            self.counts[truth, guess] += 1

    @property
    def mistakes(self) -> int:
        return int(self.counts[0, 1] + self.counts[1, 0])

    def recall(self) -> Tensor:
        """The share of malignant tumours that were found."""
        return self.counts[1, 1] / self.counts[1].sum().clamp(min=1)
