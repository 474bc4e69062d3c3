"""A language model of the shape of lightning.pytorch.demos' LSTM: the hidden state lives across batches."""

from collections.abc import Iterator, Sized

import torch
import torch.nn.functional as F
from lightning.pytorch.core import LightningModule
from torch import Tensor, nn
from torch.optim import Optimizer
from torch.utils.data import DataLoader, Dataset, Sampler

WORDS = "a rose is a rose is a rose and a dog is not a rose but a dog that likes a rose".split()


class Blocks(Dataset):
    def __init__(self, size: int = 5):
        vocabulary = sorted(set(WORDS))
        self.data = torch.tensor([vocabulary.index(w) for w in WORDS] * 6)
        self.size = size

    def __len__(self) -> int:
        return len(self.data) // self.size - 1

    def __getitem__(self, index: int) -> tuple[Tensor, Tensor]:
        start = index * self.size
        return self.data[start : start + self.size], self.data[start + 1 : start + self.size + 1]


class SequenceSampler(Sampler[list[int]]):
    """Row i of each batch goes on where row i of the batch before ended."""

    def __init__(self, dataset: Sized, batch_size: int) -> None:
        super().__init__()
        self.dataset = dataset
        self.batch_size = batch_size
        self.chunk = len(dataset) // batch_size

    def __iter__(self) -> Iterator[list[int]]:
        n = len(self.dataset)
        for i in range(self.chunk):
            yield list(range(i, n - (n % self.batch_size), self.chunk))

    def __len__(self) -> int:
        return self.chunk


class WordLSTM(LightningModule):
    def __init__(self, vocab_size: int = 10, dim: int = 8, layers: int = 2):
        super().__init__()
        self.encoder = nn.Embedding(vocab_size, dim)
        self.drop = nn.Dropout(0.2)
        self.rnn = nn.LSTM(dim, dim, layers, dropout=0.2, batch_first=True)
        self.decoder = nn.Linear(dim, vocab_size)
        self.hidden: tuple[Tensor, Tensor] | None = None
        nn.init.uniform_(self.encoder.weight, -0.1, 0.1)

    def on_train_epoch_end(self) -> None:
        self.hidden = None

    def training_step(self, batch: tuple[Tensor, Tensor], batch_idx: int) -> Tensor:
        input, target = batch
        if self.hidden is not None:
            self.hidden = (self.hidden[0].detach(), self.hidden[1].detach())
        output, self.hidden = self.rnn(self.drop(self.encoder(input)), self.hidden)
        output = self.decoder(self.drop(output))
        loss = F.nll_loss(F.log_softmax(output.flatten(0, 1), dim=1), target.flatten())
        self.log("train_loss", loss, prog_bar=True)
        return loss

    def train_dataloader(self) -> DataLoader:
        dataset = Blocks()
        return DataLoader(dataset, batch_sampler=SequenceSampler(dataset, batch_size=4))

    def configure_optimizers(self) -> Optimizer:
        return torch.optim.SGD(self.parameters(), lr=2.0)
