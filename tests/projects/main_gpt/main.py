"""A language model: tied weights, groups of weight decay, accumulation by epochs, validation by steps."""

import math
import os
from functools import partial

import lightning as L
import torch
import torch.nn.functional as F
from lightning.pytorch import callbacks as cb
from torch import Tensor, nn
from torch.utils.data import DataLoader, Dataset, random_split

RANK = os.environ.get("RANK", "0")
TEXT = "the quick brown fox jumps over the lazy dog. " * 30
VOCAB = sorted(set(TEXT))
STOI = {c: i for i, c in enumerate(VOCAB)}


class Chars(Dataset):
    def __init__(self, block):
        self.data, self.block = torch.tensor([STOI[c] for c in TEXT]), block

    def __len__(self):
        return (len(self.data) - 1) // self.block

    def __getitem__(self, i):
        s = i * self.block
        return self.data[s : s + self.block], self.data[s + 1 : s + 1 + self.block]


class Block(nn.Module):
    def __init__(self, d, h, p):
        super().__init__()
        self.ln1, self.ln2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.qkv, self.proj = nn.Linear(d, 3 * d, bias=False), nn.Linear(d, d, bias=False)
        self.ff = nn.Sequential(nn.Linear(d, 4 * d), nn.GELU(), nn.Linear(4 * d, d), nn.Dropout(p))
        self.h, self.p = h, p

    def forward(self, x: Tensor) -> Tensor:
        B, T, C = x.shape
        q, k, v = (t.view(B, T, self.h, -1).transpose(1, 2) for t in self.qkv(self.ln1(x)).chunk(3, -1))
        a = F.scaled_dot_product_attention(
            q, k, v, is_causal=True, dropout_p=self.p if self.training else 0.0
        )
        x = x + self.proj(a.transpose(1, 2).reshape(B, T, C))
        return x + self.ff(self.ln2(x))


class GPT(L.LightningModule):
    def __init__(
        self,
        vocab: int,
        d: int = 32,
        layers: int = 2,
        heads: int = 4,
        block: int = 16,
        p: float = 0.1,
        lr: float = 1e-3,
        wd: float = 0.1,
        warmup: int = 4,
    ):
        super().__init__()
        self.save_hyperparameters()
        self.tok, self.pos = nn.Embedding(vocab, d), nn.Parameter(torch.zeros(1, block, d))
        self.blocks = nn.ModuleList(Block(d, heads, p) for _ in range(layers))
        self.ln, self.head = nn.LayerNorm(d), nn.Linear(d, vocab, bias=False)
        self.head.weight = self.tok.weight
        self.apply(self._init)
        for n, w in self.named_parameters():
            if n.endswith("proj.weight"):
                nn.init.normal_(w, std=0.02 / math.sqrt(2 * layers))

    @staticmethod
    def _init(m):
        if isinstance(m, (nn.Linear, nn.Embedding)):
            nn.init.normal_(m.weight, std=0.02)
            if getattr(m, "bias", None) is not None:
                nn.init.zeros_(m.bias)

    def forward(self, idx, targets=None):
        x = self.tok(idx) + self.pos[:, : idx.size(1)]
        for b in self.blocks:
            x = b(x)
        logits = self.head(self.ln(x))
        loss = (
            None if targets is None else F.cross_entropy(logits.view(-1, logits.size(-1)), targets.view(-1))
        )
        return logits, loss

    @torch.no_grad()
    def generate(self, idx, n):
        was = self.training
        self.eval()
        for _ in range(n):
            logits, _ = self(idx[:, -self.hparams.block :])
            idx = torch.cat([idx, logits[:, -1].argmax(-1, keepdim=True)], 1)
        self.train(was)
        return idx

    def training_step(self, batch, batch_idx):
        _, loss = self(*batch)
        self.log("train/loss", loss.item(), prog_bar=True)
        self.log("train/ppl", loss.detach().exp(), on_step=False, on_epoch=True)
        self.log(
            "tokens", float(batch[0].numel()), on_step=False, on_epoch=True, reduce_fx="sum", sync_dist=True
        )
        return loss

    def validation_step(self, batch, batch_idx):
        _, loss = self(*batch)
        self.log_dict({"val/loss": loss, "val/ppl": loss.exp()}, sync_dist=True)

    def on_before_optimizer_step(self, optimizer):
        if self.trainer.global_step % 2 == 0:
            self.log(
                "grad_norm",
                torch.norm(torch.stack([p.grad.norm() for p in self.parameters() if p.grad is not None])),
            )

    def configure_optimizers(self):
        groups = [
            {"params": [p for p in self.parameters() if p.dim() >= 2], "weight_decay": self.hparams.wd},
            {"params": [p for p in self.parameters() if p.dim() < 2], "weight_decay": 0.0},
        ]
        opt = torch.optim.AdamW(groups, lr=self.hparams.lr, betas=(0.9, 0.95))
        steps = (
            self.trainer.max_steps if self.trainer.max_steps > 0 else self.trainer.estimated_stepping_batches
        )
        fn = partial(cosine, warmup=self.hparams.warmup, total=steps)
        return {
            "optimizer": opt,
            "lr_scheduler": {"scheduler": torch.optim.lr_scheduler.LambdaLR(opt, fn), "interval": "step"},
        }


def cosine(step, warmup, total):
    if step < warmup:
        return (step + 1) / warmup
    return 0.1 + 0.45 * (1 + math.cos(math.pi * (step - warmup) / max(1, total - warmup)))


class Sample(cb.Callback):
    def __init__(self, prompt="the ", every=1):
        self.prompt, self.every = prompt, every

    def on_validation_epoch_end(self, trainer: L.Trainer, pl_module: GPT) -> None:
        if trainer.sanity_checking or trainer.current_epoch % self.every:
            return
        idx = torch.tensor([[STOI[c] for c in self.prompt]], device=pl_module.device)
        out = "".join(VOCAB[i] for i in pl_module.generate(idx, 10)[0].tolist())
        trainer.print(repr(out))


def main(block=16, batch=8, max_steps=18, every=None):
    L.seed_everything(42)
    ds = Chars(block)
    n = int(0.9 * len(ds))
    train, val = random_split(ds, [n, len(ds) - n])
    model = GPT(len(VOCAB), block=block)
    print(f"{sum(p.numel() for p in model.parameters()):,} parameters")
    trainer = L.Trainer(
        max_steps=max_steps,
        max_epochs=-1,
        val_check_interval=5,
        check_val_every_n_epoch=every,
        callbacks=[
            cb.GradientAccumulationScheduler({0: 1, 1: 2}),
            Sample(),
            cb.ModelCheckpoint(monitor="val/loss", every_n_train_steps=5, filename="{step}"),
        ],
        gradient_clip_val=1.0,
        precision="bf16-mixed",
        log_every_n_steps=1,
        limit_val_batches=2,
        use_distributed_sampler=True,
    )
    trainer.fit(model, DataLoader(train, batch, shuffle=True, pin_memory=False), DataLoader(val, batch))
    start = torch.zeros(1, 1, dtype=torch.long)
    torch.save(
        {"text": model.generate(start, 5), "weights": model.state_dict()}, f"main_gpt.{RANK}.results.pt"
    )


if __name__ == "__main__":
    main()
