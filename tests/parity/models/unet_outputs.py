import pytorch_lightning as pl
import torch
from pytorch_lightning.utilities.types import STEP_OUTPUT
from torch import nn
from torch.utils.data import DataLoader, Dataset


class DoubleConv(nn.Sequential):
    def __init__(self, ins, outs):
        super().__init__(
            nn.Conv2d(ins, outs, 3, padding=1), nn.GroupNorm(1, outs), nn.ReLU(inplace=True),
            nn.Conv2d(outs, outs, 3, padding=1), nn.ReLU(inplace=True),
        )


class UNet(nn.Module):
    def __init__(self, features=(2, 4)):
        super().__init__()
        self.downs, self.ups = nn.ModuleList(), nn.ModuleList()
        ins = 1
        for feature in features:
            self.downs.append(DoubleConv(ins, feature))
            ins = feature
        self.bottom = DoubleConv(ins, ins * 2)
        for feature in reversed(features):
            self.ups.append(nn.ConvTranspose2d(feature * 2, feature, 2, 2))
            self.ups.append(DoubleConv(feature * 2, feature))
        self.out = nn.Conv2d(features[0], 1, 1)

    def forward(self, x):
        skips = []
        for down in self.downs:
            x = down(x)
            skips.append(x)
            x = nn.functional.max_pool2d(x, 2)
        x = self.bottom(x)
        for index in range(0, len(self.ups), 2):
            x = torch.cat([skips.pop(), self.ups[index](x)], dim=1)
            x = self.ups[index + 1](x)
        return self.out(x)


class DiceLoss(nn.Module):
    def __init__(self, smooth=1.0):
        super().__init__()
        self.smooth = smooth

    def forward(self, logits, mask):
        probs = logits.sigmoid().flatten(1)
        mask = mask.flatten(1)
        overlap = (probs * mask).sum(1)
        return 1 - ((2 * overlap + self.smooth) / (probs.sum(1) + mask.sum(1) + self.smooth)).mean()


class Squares(Dataset):
    def __init__(self, n):
        super().__init__()
        self.n = n

    def __len__(self):
        return self.n

    def __getitem__(self, idx):
        mask = torch.zeros(1, 8, 8)
        row, col = idx % 5, idx % 3
        mask[:, row : row + 3, col : col + 4] = 1
        return mask + 0.3 * torch.randn(1, 8, 8, generator=torch.Generator().manual_seed(idx)), mask


class SegmentationModel(pl.LightningModule):
    """Outputs kept in lists between the steps and the epoch's end, as Lightning 2 has it."""

    def __init__(self, lr: float = 1e-2):
        super().__init__()
        self.save_hyperparameters()
        self.model = UNet()
        self.bce, self.dice = nn.BCEWithLogitsLoss(), DiceLoss()
        self.training_step_outputs, self.validation_step_outputs = [], []

    def forward(self, image):
        return self.model(image)

    def shared_step(self, batch, stage):
        image, mask = batch
        assert image.ndim == 4
        logits = self.forward(image)
        loss = self.bce(logits, mask) + self.dice(logits, mask)
        pred = (logits.detach() > 0).long()
        tp = ((pred == 1) & (mask == 1)).sum((1, 2, 3))
        fp = ((pred == 1) & (mask == 0)).sum((1, 2, 3))
        fn = ((pred == 0) & (mask == 1)).sum((1, 2, 3))
        return {"loss": loss, "tp": tp, "fp": fp, "fn": fn}

    def shared_epoch_end(self, outputs, stage):
        tp, fp, fn = (torch.cat([x[key] for x in outputs]).sum() for key in ("tp", "fp", "fn"))
        iou = tp / (tp + fp + fn).clamp(min=1)
        self.log_dict({f"{stage}_iou": iou, f"{stage}_seen": float(len(outputs))}, prog_bar=True)

    def training_step(self, batch, batch_idx) -> STEP_OUTPUT:
        out = self.shared_step(batch, "train")
        self.training_step_outputs.append({key: value.detach() for key, value in out.items()})
        return out["loss"]

    def on_train_epoch_end(self):
        self.shared_epoch_end(self.training_step_outputs, "train")
        self.training_step_outputs.clear()

    def validation_step(self, batch, batch_idx) -> STEP_OUTPUT:
        out = self.shared_step(batch, "valid")
        self.validation_step_outputs.append(out)
        return out

    def on_validation_epoch_end(self):
        self.shared_epoch_end(self.validation_step_outputs, "valid")
        self.validation_step_outputs.clear()

    def configure_optimizers(self):
        optimizer = torch.optim.Adam(self.parameters(), lr=self.hparams.lr)
        scheduler = torch.optim.lr_scheduler.MultiStepLR(optimizer, milestones=[1], gamma=0.1)
        return {"optimizer": optimizer, "lr_scheduler": scheduler}

    def train_dataloader(self):
        return DataLoader(Squares(18), batch_size=4, shuffle=True, num_workers=0, pin_memory=False)

    def val_dataloader(self):
        return DataLoader(Squares(6), batch_size=4, shuffle=False)
