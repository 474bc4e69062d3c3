"""A small transformer, with clipping and a scheduler that steps with the optimizer."""

import lightning as L
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Tokens(Dataset):
    """Sequences that are fetched a batch at a time, so that loading hides nothing of the loop."""

    def __init__(self, rows: int):
        generator = torch.Generator().manual_seed(0)
        self.tokens = torch.randint(256, (rows, 65), generator=generator)

    def __len__(self):
        return len(self.tokens)

    def __getitems__(self, indices):
        return self.tokens[indices]


def as_it_is(batch):
    return batch


class Block(nn.Module):
    def __init__(self, width: int, heads: int):
        super().__init__()
        self.heads = heads
        self.norm1 = nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.norm2 = nn.LayerNorm(width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x):
        batch, length, width = x.shape
        qkv = self.qkv(self.norm1(x)).view(batch, length, 3, self.heads, width // self.heads)
        query, key, value = qkv.permute(2, 0, 3, 1, 4)
        mixed = F.scaled_dot_product_attention(query, key, value, is_causal=True)
        x = x + self.out(mixed.transpose(1, 2).reshape(x.shape))
        return x + self.mlp(self.norm2(x))


class Transformer(L.LightningModule):
    def __init__(self, rows: int = 160, width: int = 128):
        super().__init__()
        self.rows = rows
        self.embedding = nn.Embedding(256, width)
        self.position = nn.Parameter(torch.zeros(64, width))
        self.blocks = nn.Sequential(*(Block(width, 4) for _ in range(3)))
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, 256)

    def forward(self, tokens):
        x = self.embedding(tokens) + self.position
        return self.head(self.norm(self.blocks(x)))

    def training_step(self, batch, batch_idx):
        logits = self(batch[:, :-1])
        loss = F.cross_entropy(logits.flatten(0, 1), batch[:, 1:].flatten())
        self.log("train_loss", loss, on_step=True, on_epoch=True)
        return loss

    def configure_optimizers(self):
        optimizer = torch.optim.AdamW(self.parameters(), lr=1e-3)
        scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 10_000)
        return [optimizer], [{"scheduler": scheduler, "interval": "step"}]

    def train_dataloader(self):
        return DataLoader(Tokens(self.rows), batch_size=8, shuffle=True, collate_fn=as_it_is)
