"""A character model of the shape of lightning.pytorch.demos' transformer, on a text of its own."""

import math

import lightning as L
import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, Dataset

TEXT = "the quick brown fox jumps over the lazy dog and then it sleeps under the old oak tree " * 4


class Characters(Dataset):
    def __init__(self, block: int):
        self.alphabet = sorted(set(TEXT))
        self.data = torch.tensor([self.alphabet.index(c) for c in TEXT])
        self.block = block

    def __len__(self) -> int:
        return len(self.data) // self.block - 1

    def __getitem__(self, index: int) -> tuple[Tensor, Tensor]:
        start = index * self.block
        return self.data[start : start + self.block], self.data[start + 1 : start + self.block + 1]


class Positions(nn.Module):
    def __init__(self, dim: int, length: int = 64):
        super().__init__()
        position = torch.arange(length).unsqueeze(1)
        scale = torch.exp(torch.arange(0, dim, 2) * (-math.log(10000.0) / dim))
        table = torch.zeros(1, length, dim)
        table[0, :, 0::2], table[0, :, 1::2] = torch.sin(position * scale), torch.cos(position * scale)
        self.register_buffer("table", table, persistent=False)
        self.dropout = nn.Dropout(0.1)

    def forward(self, x: Tensor) -> Tensor:
        return self.dropout(x + self.table[:, : x.size(1)])


class CharTransformer(L.LightningModule):
    def __init__(self, dim: int = 16, heads: int = 2, layers: int = 1, block: int = 12):
        super().__init__()
        self.save_hyperparameters()
        self.dataset = Characters(block)
        vocabulary = len(self.dataset.alphabet)
        self.embedding = nn.Embedding(vocabulary, dim)
        self.positions = Positions(dim)
        self.transformer = nn.Transformer(dim, heads, layers, layers, 2 * dim, dropout=0.1, batch_first=True)
        self.decoder = nn.Linear(dim, vocabulary)
        self.src_mask: Tensor | None = None

    def forward(self, inputs: Tensor, target: Tensor) -> Tensor:
        if self.src_mask is None:
            self.src_mask = nn.Transformer.generate_square_subsequent_mask(inputs.size(1)).to(self.device)
        source, target = (self.positions(self.embedding(x) * self.hparams.dim**0.5) for x in (inputs, target))
        return self.decoder(self.transformer(source, target, tgt_mask=self.src_mask)).log_softmax(-1)

    def training_step(self, batch: tuple[Tensor, Tensor], batch_idx: int) -> Tensor:
        inputs, target = batch
        output = self(inputs, target)
        loss = nn.functional.nll_loss(output.flatten(0, 1), target.flatten())
        self.log("train_loss", loss)
        return loss

    def configure_optimizers(self) -> torch.optim.Optimizer:
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self) -> DataLoader:
        return DataLoader(self.dataset, batch_size=4, shuffle=True)
