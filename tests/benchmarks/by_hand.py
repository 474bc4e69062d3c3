"""The plain loops that an expert would write for the workloads: what the generated scripts are held against.

Each does the same work as the Lightning module of its name and ends with the same weights. They are written
out, one function each, since that is what one would do.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, TextIO

import torch
import torch.distributed as dist
import torch.distributed.nn  # before there is a group, which its functions' defaults would keep to the end
import torch.nn.functional as F
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, Dataset, DistributedSampler

RANK = int(os.environ.get("RANK", 0))
WORLD_SIZE = int(os.environ.get("WORLD_SIZE", 1))


class Rows(Dataset[Any]):
    def __init__(self, *columns: Tensor) -> None:
        self.columns = columns

    def __len__(self) -> int:
        return len(self.columns[0])

    def __getitems__(self, indices: list[int]) -> tuple[Tensor, ...]:
        return tuple(column[indices] for column in self.columns)


def loader_of(dataset: Dataset[Any], batch_size: int) -> DataLoader[Any]:
    sampler = DistributedSampler(dataset, seed=1) if WORLD_SIZE > 1 else None
    return DataLoader(
        dataset, batch_size, shuffle=sampler is None, sampler=sampler, collate_fn=lambda rows: rows
    )


def epochs_of(loader: DataLoader[Any], epochs: int) -> Iterator[Iterable[Any]]:
    for epoch in range(epochs):
        if isinstance(loader.sampler, DistributedSampler):
            loader.sampler.set_epoch(epoch)
        yield loader


def distributed(net: nn.Module) -> nn.Module:
    return DistributedDataParallel(net, gradient_as_bucket_view=True) if WORLD_SIZE > 1 else net


def write(file: TextIO, **values: Any) -> None:
    if RANK == 0:
        print(json.dumps(values), file=file)


def train_tiny(rows: int, epochs: int, log_every: int, file: TextIO, keeps_values: bool = False) -> None:
    """With `keeps_values`, values are kept as Lightning keeps them: copied, and summed up in their own type."""
    net = nn.Sequential(nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 4))
    step = distributed(net)
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3)
    generator = torch.Generator().manual_seed(0)
    x, y = torch.randn(rows, 16, generator=generator), torch.randint(4, (rows,), generator=generator)
    global_step = 0
    for batches in epochs_of(loader_of(Rows(x, y), 16), epochs):
        total, count = torch.zeros(()), 0
        for x, y in batches:
            loss = F.cross_entropy(step(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            value = loss.detach()
            if keeps_values:
                value = value.clone()
                total = total + value * len(x)
            else:
                total += value * len(x)
            count += len(x)
            global_step += 1
            if global_step % log_every == 0:
                write(file, step=global_step, train_loss_step=value.item())
        write(file, step=global_step, train_loss_epoch=(total / count).item())


def train_mlp(rows: int, epochs: int, log_every: int, file: TextIO) -> None:
    net = nn.Sequential(
        nn.Linear(784, 640),
        nn.ReLU(),
        nn.Linear(640, 640),
        nn.ReLU(),
        nn.Linear(640, 128),
        nn.ReLU(),
        nn.Linear(128, 10),
    )
    step = distributed(net)
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3)
    generator = torch.Generator().manual_seed(0)
    x, y = torch.randn(rows, 784, generator=generator), torch.randint(10, (rows,), generator=generator)
    global_step = 0
    for batches in epochs_of(loader_of(Rows(x, y), 32), epochs):
        total, correct, count = torch.zeros(()), torch.zeros(()), 0
        for x, y in batches:
            logits = step(x)
            loss = F.cross_entropy(logits, y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.detach() * len(x)
            correct += (logits.argmax(1) == y).sum()
            count += len(x)
            global_step += 1
            if global_step % log_every == 0:
                write(file, step=global_step, train_loss_step=loss.item())
        write(
            file,
            step=global_step,
            train_loss_epoch=(total / count).item(),
            train_acc=(correct / count).item(),
        )


class Block(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.norm1 = nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.norm2 = nn.LayerNorm(width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x: Tensor) -> Tensor:
        batch, length, width = x.shape
        qkv = self.qkv(self.norm1(x)).view(batch, length, 3, self.heads, width // self.heads)
        query, key, value = qkv.permute(2, 0, 3, 1, 4)
        mixed = F.scaled_dot_product_attention(query, key, value, is_causal=True)
        x = x + self.out(mixed.transpose(1, 2).reshape(x.shape))
        return x + self.mlp(self.norm2(x))


class Transformer(nn.Module):
    def __init__(self, width: int = 128) -> None:
        super().__init__()
        self.embedding = nn.Embedding(256, width)
        self.position = nn.Parameter(torch.zeros(64, width))
        self.blocks = nn.Sequential(*(Block(width, 4) for _ in range(3)))
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, 256)

    def forward(self, tokens: Tensor) -> Tensor:
        return self.head(self.norm(self.blocks(self.embedding(tokens) + self.position)))


def train_transformer(rows: int, epochs: int, log_every: int, file: TextIO) -> None:
    net = Transformer()
    step = distributed(net)
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 10_000)
    tokens = torch.randint(256, (rows, 65), generator=torch.Generator().manual_seed(0))
    global_step = 0
    for batches in epochs_of(loader_of(Rows(tokens), 8), epochs):
        total, count = torch.zeros(()), 0
        for (batch,) in batches:
            logits = step(batch[:, :-1])
            loss = F.cross_entropy(logits.flatten(0, 1), batch[:, 1:].flatten())
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            optimizer.step()
            scheduler.step()
            total += loss.detach() * len(batch)
            count += len(batch)
            global_step += 1
            if global_step % log_every == 0:
                write(file, step=global_step, train_loss_step=loss.item())
        write(file, step=global_step, train_loss_epoch=(total / count).item())


LOOPS: dict[str, Callable[..., None]]
LOOPS = {"tiny": train_tiny, "mlp": train_mlp, "transformer": train_transformer}


def main(workload: str, rows: int, epochs: int, log_every: int, out: Path, **options: bool) -> None:
    torch.manual_seed(1)
    if WORLD_SIZE > 1:
        dist.init_process_group("gloo")
    with open(out if RANK == 0 else os.devnull, "w") as file:
        LOOPS[workload](rows, epochs, log_every, file, **options)
    if WORLD_SIZE > 1:
        dist.destroy_process_group()
