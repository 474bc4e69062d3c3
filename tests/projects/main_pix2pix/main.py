"""Two optimizers by hand, each with a schedule, and hyperparameters from a dict."""

import logging
import os
import time

import numpy as np
import lightning.pytorch as pl
import torch
import torch.nn as nn
import torch.nn.functional as F
from lightning.pytorch import LightningDataModule, LightningModule, Trainer
from lightning.pytorch.callbacks import Callback, ModelCheckpoint
from lightning.pytorch.loggers import TensorBoardLogger
from torch.utils.data import DataLoader, Dataset

RANK = os.environ.get("RANK", "0")
log = logging.getLogger(__name__)


class UNetLite(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.d1, self.d2 = nn.Conv2d(1, c, 4, 2, 1), nn.Conv2d(c, 2 * c, 4, 2, 1)
        self.u1, self.u2 = nn.ConvTranspose2d(2 * c, c, 4, 2, 1), nn.ConvTranspose2d(2 * c, 1, 4, 2, 1)
        self.norm = nn.InstanceNorm2d(c)

    def forward(self, x):
        a = F.leaky_relu(self.d1(x), 0.2)
        b = F.relu(self.norm(self.u1(F.leaky_relu(self.d2(a), 0.2))))
        return torch.tanh(self.u2(torch.cat([a, b], 1)))


class Patch(nn.Sequential):
    def __init__(self, c):
        super().__init__(nn.Conv2d(2, c, 4, 2, 1), nn.LeakyReLU(0.2), nn.Conv2d(c, 1, 3, 1, 1))


def weights_init(m):
    if isinstance(m, (nn.Conv2d, nn.ConvTranspose2d)):
        nn.init.normal_(m.weight, 0.0, 0.02)


class Pix2Pix(LightningModule):
    def __init__(self, hparams):
        super().__init__()
        self.save_hyperparameters(hparams)
        self.automatic_optimization = False
        self.gen = UNetLite(self.hparams.ch).apply(weights_init)
        self.disc = Patch(self.hparams.ch).apply(weights_init)
        self.adv, self.l1 = nn.BCEWithLogitsLoss(), nn.L1Loss()
        self.example_input_array = torch.zeros(1, 1, 16, 16)

    def forward(self, x):
        return self.gen(x)

    def gen_loss(self, real, cond):
        fake = self.gen(cond)
        logits = self.disc(torch.cat([fake, cond], 1))
        return self.adv(logits, torch.ones_like(logits)) + self.hparams.lambda_l1 * self.l1(fake, real)

    def disc_loss(self, real, cond):
        fake = self.gen(cond).detach()
        fl, rl = self.disc(torch.cat([fake, cond], 1)), self.disc(torch.cat([real, cond], 1))
        return (self.adv(fl, torch.zeros_like(fl)) + self.adv(rl, torch.ones_like(rl))) / 2

    def training_step(self, batch, batch_idx):
        real, cond = batch
        og, od = self.optimizers()
        self.toggle_optimizer(od)
        ld = self.disc_loss(real, cond)
        od.zero_grad()
        self.manual_backward(ld)
        self.clip_gradients(od, gradient_clip_val=0.5, gradient_clip_algorithm="norm")
        od.step()
        self.untoggle_optimizer(od)
        self.toggle_optimizer(og)
        lg = self.gen_loss(real, cond)
        og.zero_grad()
        self.manual_backward(lg)
        og.step()
        self.untoggle_optimizer(og)
        self.log_dict({"g_loss": lg, "d_loss": ld}, prog_bar=True, on_epoch=True)
        if (batch_idx + 1) % self.hparams.sched_every == 0:
            for s in self.lr_schedulers():
                s.step()

    def on_train_epoch_end(self):
        log.info("epoch %d took a while", self.current_epoch)
        if self.current_epoch % 2 == 1 and self.logger is not None:
            with torch.no_grad():
                img = self(self.example_input_array.to(self.device))
            self.logger.experiment.add_image("fake", (img[0] + 1) / 2, self.global_step)

    def validation_step(self, batch, batch_idx):
        real, cond = batch
        l1 = self.l1(self(cond), real)
        self.log("val_l1", l1, prog_bar=True, sync_dist=True)
        return l1

    def configure_optimizers(self):
        b = (self.hparams.b1, 0.999)
        og = torch.optim.Adam(self.gen.parameters(), lr=self.hparams.lr, betas=b)
        od = torch.optim.Adam(self.disc.parameters(), lr=self.hparams.lr, betas=b)
        sg = torch.optim.lr_scheduler.StepLR(og, 2, 0.9)
        sd = torch.optim.lr_scheduler.ExponentialLR(od, 0.95)
        return [og, od], [sg, sd]


class Pairs(Dataset):
    def __init__(self, n, seed):
        rng = np.random.default_rng(seed)
        self.cond = rng.random((n, 1, 16, 16), dtype=np.float32) * 2 - 1
        self.real = np.sign(self.cond) * np.sqrt(np.abs(self.cond))

    def __len__(self):
        return len(self.cond)

    def __getitem__(self, i):
        return torch.from_numpy(self.real[i]), torch.from_numpy(self.cond[i])


class DM(LightningDataModule):
    def __init__(self, bs):
        super().__init__()
        self.bs = bs

    def setup(self, stage: str):
        if stage == "fit" or stage is None:
            self.tr, self.va = Pairs(40, 0), Pairs(12, 1)

    def train_dataloader(self):
        return DataLoader(self.tr, batch_size=self.bs, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.va, batch_size=self.bs * 2)


class TimeIt(Callback):
    def on_train_epoch_start(self, trainer, pl_module):
        self.t = time.time()

    def on_train_epoch_end(self, trainer, pl_module):
        if trainer.is_global_zero:
            print(f"epoch {trainer.current_epoch}: {(time.time() - self.t) >= 0}")


def main():
    logging.basicConfig(level=logging.INFO)
    hparams = dict(ch=4, lambda_l1=10, lr=2e-4, b1=0.5, sched_every=3)
    pl.seed_everything(hparams.get("seed", 123))
    model = Pix2Pix(hparams)
    dm = DM(bs=4)
    tb = TensorBoardLogger("tb", name=None, version="v1")
    trainer = Trainer(
        max_epochs=2,
        strategy="ddp_find_unused_parameters_true",
        logger=tb,
        callbacks=[TimeIt(), ModelCheckpoint(every_n_epochs=1, save_top_k=-1)],
        log_every_n_steps=5,
        num_sanity_val_steps=0,
        enable_model_summary=False,
    )
    trainer.fit(model, dm)
    trainer.save_checkpoint(os.path.join("tb", "final.ckpt"))
    reloaded = Pix2Pix.load_from_checkpoint("tb/final.ckpt", map_location="cpu")
    torch.save(
        {
            "lr": reloaded.hparams.lr,
            "weights": reloaded.state_dict(),
            "val": trainer.callback_metrics["val_l1"],
        },
        f"main_pix2pix.{RANK}.results.pt",
    )


if __name__ == "__main__":
    main()
