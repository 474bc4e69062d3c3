"""A transformer that learns to write like Shakespeare, one character at a time."""

import math
from pathlib import Path

import lightning as L
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset

TEXT = Path(__file__).parent / "as_you_like_it.txt"
VOCABULARY = 128  # the text is plain ASCII


class Windows(Dataset):
    """Stretches of text, each with the same stretch moved on by one character."""

    def __init__(self, text: torch.Tensor, length: int, stride: int):
        self.text, self.length, self.stride = text, length, stride

    def __len__(self):
        return (len(self.text) - self.length - 1) // self.stride + 1

    def __getitem__(self, index):
        start = index * self.stride
        window = self.text[start : start + self.length + 1]
        return window[:-1], window[1:]


class PlayData(L.LightningDataModule):
    """The play's first nine tenths to train on, its last to validate on."""

    def __init__(self, length: int = 64, batch_size: int = 32):
        super().__init__()
        self.save_hyperparameters()

    def setup(self, stage):
        text = torch.tensor(list(TEXT.read_bytes()))
        split = len(text) * 9 // 10
        length = self.hparams.length
        self.train = Windows(text[:split], length, stride=length // 2)
        self.val = Windows(text[split:], length, stride=length)

    def train_dataloader(self):
        return DataLoader(self.train, self.hparams.batch_size, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.val, self.hparams.batch_size)


class Attention(nn.Module):
    """Every character looks at itself and at those before it."""

    def __init__(self, width: int, heads: int, dropout: float):
        super().__init__()
        self.heads, self.dropout = heads, dropout
        self.qkv = nn.Linear(width, 3 * width, bias=False)
        self.out = nn.Linear(width, width, bias=False)

    def forward(self, x):
        batch, length, width = x.shape
        qkv = self.qkv(x).view(batch, length, 3, self.heads, width // self.heads)
        query, key, value = qkv.permute(2, 0, 3, 1, 4)  # each: batch, head, place, part
        dropout = self.dropout if self.training else 0.0
        mixed = F.scaled_dot_product_attention(
            query, key, value, dropout_p=dropout, is_causal=True
        )
        return self.out(mixed.transpose(1, 2).reshape(batch, length, width))


class Block(nn.Module):
    def __init__(self, width: int, heads: int, dropout: float):
        super().__init__()
        self.norm1 = nn.LayerNorm(width)
        self.attention = Attention(width, heads, dropout)
        self.norm2 = nn.LayerNorm(width)
        self.mlp = nn.Sequential(
            nn.Linear(width, 4 * width),
            nn.GELU(),
            nn.Linear(4 * width, width),
            nn.Dropout(dropout),
        )

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.mlp(self.norm2(x))


def warmup_cosine(step: int, warmup: int, total: int) -> float:
    """Rise to 1 over `warmup` steps, then fall to 0 at `total` along half a cosine."""
    if step < warmup:
        return (step + 1) / warmup
    return 0.5 * (1 + math.cos(math.pi * min(1.0, (step - warmup) / (total - warmup))))


class CharacterModel(L.LightningModule):
    """A small GPT; its output layer shares the embedding's weights."""

    def __init__(
        self,
        width: int = 64,
        depth: int = 2,
        heads: int = 4,
        length: int = 64,
        dropout: float = 0.05,
        lr: float = 3e-3,
        weight_decay: float = 0.1,
        warmup: int = 20,
    ):
        super().__init__()
        self.save_hyperparameters()
        self.embedding = nn.Embedding(VOCABULARY, width)
        self.position = nn.Parameter(torch.zeros(length, width))
        self.blocks = nn.Sequential(
            *(Block(width, heads, dropout) for _ in range(depth))
        )
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, VOCABULARY, bias=False)
        nn.init.normal_(self.embedding.weight, std=0.02)
        self.head.weight = self.embedding.weight
        self.val_losses: list[torch.Tensor] = []

    def forward(self, characters):
        x = self.embedding(characters) + self.position[: characters.shape[1]]
        return self.head(self.norm(self.blocks(x)))

    def loss(self, batch):
        characters, following = batch
        return F.cross_entropy(self(characters).flatten(0, 1), following.flatten())

    def training_step(self, batch, batch_idx):
        loss = self.loss(batch)
        self.log("train_loss", loss, on_step=True, on_epoch=True)
        self.log("train_perplexity", loss.detach().exp(), prog_bar=True)
        return loss

    def validation_step(self, batch, batch_idx):
        loss = self.loss(batch)
        self.val_losses.append(loss)
        self.log("val_loss", loss, sync_dist=True, prog_bar=True)

    def on_validation_epoch_end(self):
        perplexity = torch.stack(self.val_losses).mean().exp()
        self.log("val_perplexity", perplexity, sync_dist=True, prog_bar=True)
        self.val_losses.clear()

    def on_train_end(self):
        self.print(self.write("ORLANDO\t", 200))

    @torch.no_grad()
    def write(self, start: str, count: int) -> str:
        """`start` and `count` characters more, drawn from what the model finds likely."""
        self.eval()
        text = torch.tensor([list(start.encode())], device=self.device)
        for _ in range(count):
            likely = self(text[:, -self.hparams.length :])[:, -1].softmax(-1)
            text = torch.cat([text, torch.multinomial(likely, 1)], dim=1)
        return bytes(text[0].tolist()).decode("ascii")

    def configure_optimizers(self):
        parameters = list(self.parameters())
        groups = [
            {
                "params": [p for p in parameters if p.ndim >= 2],
                "weight_decay": self.hparams.weight_decay,
            },
            {"params": [p for p in parameters if p.ndim < 2], "weight_decay": 0.0},
        ]
        optimizer = torch.optim.AdamW(groups, lr=self.hparams.lr, betas=(0.9, 0.98))
        total = int(self.trainer.estimated_stepping_batches)
        scheduler = torch.optim.lr_scheduler.LambdaLR(
            optimizer, lambda step: warmup_cosine(step, self.hparams.warmup, total)
        )
        return {
            "optimizer": optimizer,
            "lr_scheduler": {"scheduler": scheduler, "interval": "step"},
        }
