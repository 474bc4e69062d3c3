"""A variational autoencoder: options, a schedule by steps, the best checkpoint tested and loaded."""

import argparse
import os

import lightning.pytorch as pl
import torch
import torch.nn as nn
import torch.nn.functional as F
from lightning.pytorch.callbacks import EarlyStopping, ModelCheckpoint
from lightning.pytorch.loggers import CSVLogger, TensorBoardLogger
from torch.utils.data import DataLoader, Dataset, Subset

RANK = os.environ.get("RANK", "0")


class Blobs(Dataset):
    def __init__(self, n=256, dim=16, seed=0):
        g = torch.Generator().manual_seed(seed)
        self.x = torch.rand(n, dim, generator=g)
        self.n = n

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        return {"image": self.x[i], "id": i, "meta": f"item-{i}"}


class Encoder(nn.Module):
    def __init__(self, dim, hidden, latent):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(dim, hidden), nn.GELU(), nn.LayerNorm(hidden))
        self.mu, self.logvar = nn.Linear(hidden, latent), nn.Linear(hidden, latent)

    def forward(self, x):
        h = self.body(x)
        return self.mu(h), self.logvar(h)


class VAE(pl.LightningModule):
    def __init__(
        self,
        dim: int = 16,
        hidden: int = 32,
        latent: int = 4,
        lr: float = 1e-3,
        beta_max: float = 1.0,
        warmup: int = 10,
        **kwargs,
    ):
        super().__init__()
        self.save_hyperparameters()
        self.encoder = Encoder(dim, hidden, latent)
        self.decoder = nn.Sequential(nn.Linear(latent, hidden), nn.GELU(), nn.Linear(hidden, dim))
        self.register_buffer("prior_scale", torch.ones(latent))
        self.validation_step_outputs = []

    @property
    def beta(self):
        return min(1.0, self.global_step / self.hparams.warmup) * self.hparams.beta_max

    def sample(self, n):
        z = torch.randn(n, self.hparams.latent, device=self.device) * self.prior_scale
        return self.decoder(z)

    def forward(self, x):
        mu, logvar = self.encoder(x)
        z = mu + torch.randn_like(mu) * (0.5 * logvar).exp()
        return self.decoder(z), mu, logvar

    def _shared_step(self, batch, stage):
        x = batch["image"]
        recon, mu, logvar = self(x)
        rec = F.mse_loss(recon, x, reduction="sum") / x.size(0)
        kl = -0.5 * (1 + logvar - mu.pow(2) - logvar.exp()).sum(1).mean()
        loss = rec + self.beta * kl
        logs = {f"{stage}/loss": loss, f"{stage}/rec": rec, f"{stage}/kl": kl}
        self.log_dict(
            logs,
            prog_bar=(stage == "train"),
            on_step=stage == "train",
            on_epoch=True,
            sync_dist=stage != "train",
            batch_size=len(x),
        )
        if stage == "train":
            self.log("beta", self.beta)
        return {"loss": loss, "recon": recon.detach()}

    def training_step(self, batch, batch_idx):
        return self._shared_step(batch, "train")

    def validation_step(self, batch, batch_idx):
        out = self._shared_step(batch, "val")
        self.validation_step_outputs.append(out["recon"])
        return out

    def on_validation_epoch_end(self):
        recon = torch.cat(self.validation_step_outputs)
        self.log("val/recon_std", recon.std(), sync_dist=True)
        if not self.trainer.sanity_checking and isinstance(self.logger, TensorBoardLogger):
            self.logger.experiment.add_histogram("recon", recon, self.current_epoch)
        self.validation_step_outputs.clear()

    def test_step(self, batch, batch_idx):
        return self._shared_step(batch, "test")

    def configure_optimizers(self):
        opt = torch.optim.AdamW(self.parameters(), lr=self.hparams.lr, weight_decay=1e-2)
        total = self.trainer.estimated_stepping_batches
        sched = torch.optim.lr_scheduler.OneCycleLR(opt, max_lr=self.hparams.lr * 5, total_steps=int(total))
        return [opt], [{"scheduler": sched, "interval": "step", "name": "onecycle"}]


class BlobsModule(pl.LightningDataModule):
    def __init__(self, batch_size=16, num_workers=0, dim=16):
        super().__init__()
        self.save_hyperparameters()

    def prepare_data(self):
        os.makedirs("cache", exist_ok=True)

    def setup(self, stage=None):
        full = Blobs(dim=self.hparams.dim)
        idx = torch.randperm(len(full), generator=torch.Generator().manual_seed(1)).tolist()
        if stage in (None, "fit", "validate"):
            self.train, self.val = Subset(full, idx[:180]), Subset(full, idx[180:220])
        if stage in (None, "test"):
            self.test = Subset(full, idx[220:])

    def _loader(self, ds, shuffle=False):
        return DataLoader(
            ds,
            batch_size=self.hparams.batch_size,
            shuffle=shuffle,
            num_workers=self.hparams.num_workers,
            drop_last=shuffle,
            persistent_workers=self.hparams.num_workers > 0,
        )

    def train_dataloader(self):
        return self._loader(self.train, True)

    def val_dataloader(self):
        return self._loader(self.val)

    def test_dataloader(self):
        return self._loader(self.test)


def get_args():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--max_epochs", type=int, default=3)
    p.add_argument("--batch_size", type=int, default=16)
    p.add_argument("--lr", type=float, default=2e-3)
    p.add_argument("--latent", type=int, default=4)
    p.add_argument("--seed", type=int, default=7)
    p.add_argument("--log_dir", default="logs")
    p.add_argument("--tb", action="store_true")
    p.add_argument("--resume", default=None)
    return p.parse_args()


def main(args):
    pl.seed_everything(args.seed, workers=True)
    dm = BlobsModule(batch_size=args.batch_size)
    model = VAE(**vars(args))
    logger = TensorBoardLogger(args.log_dir, name="vae") if args.tb else CSVLogger(args.log_dir, name="vae")
    ckpt = ModelCheckpoint(
        monitor="val/loss",
        save_top_k=2,
        mode="min",
        filename="vae-{epoch:02d}-{val/loss:.3f}",
        auto_insert_metric_name=False,
    )
    trainer = pl.Trainer(
        max_epochs=args.max_epochs,
        logger=logger,
        log_every_n_steps=2,
        callbacks=[ckpt, EarlyStopping("val/loss", patience=5)],
        accelerator="auto",
        devices="auto",
        gradient_clip_val=0.5,
    )
    trainer.fit(model, datamodule=dm, ckpt_path=args.resume)
    print("best:", os.path.basename(ckpt.best_model_path), float(ckpt.best_model_score))
    results = trainer.test(ckpt_path="best", datamodule=dm)
    print(results)
    best = VAE.load_from_checkpoint(ckpt.best_model_path).eval()
    with torch.no_grad():
        sample = best.sample(3)
    torch.save(
        {
            "sample": sample,
            "results": results,
            "weights": best.state_dict(),
            "best": float(ckpt.best_model_score),
        },
        f"main_vae.{RANK}.results.pt",
    )


if __name__ == "__main__":
    main(get_args())
