import math
from dataclasses import dataclass, field

import lightning as L
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.optim.lr_scheduler import LambdaLR
from torch.utils.data import DataLoader, Dataset

TEXT = "the cat sat on the mat and the dog sat on the log while a bird sang over the bog " * 6


@dataclass
class GPTConfig:
    block_size: int = 12
    n_layer: int = 1
    n_head: int = 2
    n_embd: int = 16
    dropout: float = 0.1
    betas: tuple[float, float] = field(default=(0.9, 0.95))


class CharDataset(Dataset):
    def __init__(self, text: str, block_size: int) -> None:
        self.stoi = {char: i for i, char in enumerate(sorted(set(text)))}
        self.ids = torch.tensor([self.stoi[char] for char in text])
        self.block_size = block_size

    @property
    def vocab_size(self) -> int:
        return len(self.stoi)

    def __len__(self) -> int:
        return (len(self.ids) - 1) // self.block_size

    def __getitem__(self, index: int):
        start = index * self.block_size
        chunk = self.ids[start : start + self.block_size + 1]
        return chunk[:-1], chunk[1:]


class Attention(nn.Module):
    mask: torch.Tensor

    def __init__(self, config: GPTConfig) -> None:
        super().__init__()
        self.n_head = config.n_head
        self.qkv = nn.Linear(config.n_embd, 3 * config.n_embd)
        self.proj = nn.Linear(config.n_embd, config.n_embd)
        self.drop = nn.Dropout(config.dropout)
        self.register_buffer("mask", torch.tril(torch.ones(config.block_size, config.block_size)).bool())

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        B, T, C = x.size()
        q, k, v = (part.view(B, T, self.n_head, -1).transpose(1, 2) for part in self.qkv(x).split(C, dim=2))
        att = (q @ k.transpose(-2, -1)) / math.sqrt(k.size(-1))
        att = self.drop(att.masked_fill(~self.mask[:T, :T], float("-inf")).softmax(-1))
        return self.proj((att @ v).transpose(1, 2).reshape(B, T, C))


class Block(nn.Module):
    def __init__(self, config: GPTConfig) -> None:
        super().__init__()
        self.ln_1, self.ln_2 = nn.LayerNorm(config.n_embd), nn.LayerNorm(config.n_embd)
        self.attn = Attention(config)
        self.mlp = nn.Sequential(nn.Linear(config.n_embd, 32), nn.GELU(), nn.Linear(32, config.n_embd))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x + self.attn(self.ln_1(x))
        return x + self.mlp(self.ln_2(x))


class GPT(L.LightningModule):
    """Weight decay for matrices alone, tied embeddings, and a warm-up then a cosine by step."""

    def __init__(self, lr: float = 3e-3, weight_decay: float = 0.1, warmup: int = 4) -> None:
        super().__init__()
        self.save_hyperparameters()
        self.config = config = GPTConfig()
        self.dataset = CharDataset(TEXT, config.block_size)
        self.wte = nn.Embedding(self.dataset.vocab_size, config.n_embd)
        self.wpe = nn.Parameter(torch.zeros(1, config.block_size, config.n_embd))
        self.blocks = nn.ModuleList([Block(config) for _ in range(config.n_layer)])
        self.ln_f = nn.LayerNorm(config.n_embd)
        self.head = nn.Linear(config.n_embd, self.dataset.vocab_size, bias=False)
        self.head.weight = self.wte.weight
        self.apply(self._init_weights)

    @staticmethod
    def _init_weights(module: nn.Module) -> None:
        if isinstance(module, (nn.Linear, nn.Embedding)):
            module.weight.data.normal_(mean=0.0, std=0.02)

    def forward(self, idx: torch.Tensor, targets: torch.Tensor | None = None):
        x = self.wte(idx) + self.wpe[:, : idx.size(1)]
        for block in self.blocks:
            x = block(x)
        logits = self.head(self.ln_f(x))
        if targets is None:
            return logits, None
        return logits, F.cross_entropy(logits.view(-1, logits.size(-1)), targets.reshape(-1))

    def training_step(self, batch, batch_idx):
        _, loss = self(*batch)
        self.log("train_loss", loss, prog_bar=True)
        self.log("perplexity", loss.detach().exp(), on_step=False, on_epoch=True)
        self.log("lr", self.trainer.optimizers[0].param_groups[0]["lr"])
        return loss

    def configure_optimizers(self):
        decayed = [p for p in self.parameters() if p.dim() >= 2]
        others = [p for p in self.parameters() if p.dim() < 2]
        groups = [
            {"params": decayed, "weight_decay": self.hparams.weight_decay},
            {"params": others, "weight_decay": 0.0},
        ]
        optimizer = torch.optim.AdamW(groups, lr=self.hparams.lr, betas=self.config.betas)
        total = self.trainer.estimated_stepping_batches

        def rate(step: int) -> float:
            if step < self.hparams.warmup:
                return (step + 1) / self.hparams.warmup
            progress = (step - self.hparams.warmup) / max(1, total - self.hparams.warmup)
            return 0.5 * (1.0 + math.cos(math.pi * progress))

        return [optimizer], [{"scheduler": LambdaLR(optimizer, rate), "interval": "step", "frequency": 1}]

    def train_dataloader(self):
        return DataLoader(self.dataset, batch_size=6, shuffle=True)
