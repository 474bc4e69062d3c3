from argparse import Namespace
from dataclasses import asdict, dataclass, field

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


@dataclass
class OptimizerConfig:
    lr: float = 0.1
    betas: list[float] = field(default_factory=lambda: [0.9, 0.95])


class BaseTask(L.LightningModule):
    """What the models below share; each saves its hyperparameters in another way."""

    def make(self, width):
        self.net = nn.Sequential(nn.Linear(3, width), nn.ReLU(), nn.Linear(width, 1))

    def training_step(self, batch, batch_idx):
        (x,) = batch
        loss = (self.net(x) - x.sum(1, keepdim=True)).square().mean()
        self.log("loss", loss)
        return loss

    def train_dataloader(self):
        return DataLoader(
            TensorDataset(torch.randn(20, 3, generator=torch.Generator().manual_seed(0))), batch_size=4
        )


class Ignoring(BaseTask):
    def __init__(
        self, width: int = 4, lr: float = 0.1, criterion: nn.Module | None = None, *, decay: float = 0.0
    ):
        super().__init__()
        self.save_hyperparameters(ignore=["criterion"])
        self.hparams.depth = 1
        self.hparams["seen"] = {"by": "the constructor"}
        self.make(self.hparams.width)

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=self.hparams.lr, weight_decay=self.hparams["decay"])


class FromNamespace(BaseTask):
    def __init__(self, config: dict):
        super().__init__()
        args = Namespace(**config)
        self.save_hyperparameters(args)
        self.make(args.width)

    def configure_optimizers(self):
        return torch.optim.SGD(
            self.parameters(), lr=self.hparams.lr, momentum=self.hparams.get("momentum", 0.5)
        )


class FromDict(BaseTask):
    def __init__(self, config: dict):
        super().__init__()
        self.save_hyperparameters(config)
        self.make(self.hparams["width"])

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), **{k: v for k, v in self.hparams.items() if k != "width"})


class ByName(BaseTask):
    """Saves arguments by their names, among them one that has none of its own, as it is then."""

    def __init__(self, lr, width, **others):
        super().__init__()
        others["weight_decay"] = others.get("weight_decay", 0.01)
        self.save_hyperparameters("lr", "weight_decay", logger=False)
        self.make(width)


class Unpacked(ByName):
    """What a class below has is saved as it has it."""

    def __init__(self, lr=0.05, **others):
        super().__init__(lr * 2, width=5, **others)

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), **self.hparams)


class IgnoringOne(BaseTask):
    def __init__(self, width: int = 4, *, lr: float = 0.1, net: nn.Module | None = None, **unused):
        super().__init__()
        self.save_hyperparameters(ignore="net")
        self.make(width)

    def configure_optimizers(self):
        return torch.optim.SGD(
            self.parameters(), lr=self.hparams.lr, nesterov=True, momentum=self.hparams.momentum
        )


class FromDataclass(BaseTask):
    def __init__(self, width: int = 6, lr: float = 0.02):
        super().__init__()
        self.save_hyperparameters(asdict(OptimizerConfig(lr=lr)))
        self.save_hyperparameters("width")
        self.make(width)

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=self.hparams.lr, betas=tuple(self.hparams.betas))


class InAMethod(BaseTask):
    """Lightning looks for the constructor's arguments behind the frames of methods (12.1)."""

    def __init__(self, width: int = 4, lr: float = 0.1, momentum: float = 0.5):
        super().__init__()
        width = max(width, 5)
        self.save_settings("by hand")
        self.make(self.hparams.width)

    def save_settings(self, by, width=0):
        self.hparams["saved"] = dict(by=by)
        self.save_hyperparameters(ignore=["momentum"])
        self.hparams["saved"]["number"] = len(self.hparams) + width

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=self.hparams.lr)


class InAMethodOfABase(BaseTask):
    def __init__(self, width: int = 4, lr: float = 0.1):
        super().__init__()
        self.save()
        self.make(width)

    def save(self):
        self.save_hyperparameters()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=self.hparams.lr, momentum=self.hparams.momentum)


class BelowIt(InAMethodOfABase):
    def __init__(self, momentum: float = 0.5, **rest):
        super().__init__(**rest)


class IgnoringWhatItIsTold(BaseTask):
    """Which arguments are left out is an argument itself."""

    def __init__(
        self,
        width: int = 4,
        lr: float = 0.1,
        net: nn.Module | None = None,
        ignore: str | list[str] | None = ["net"],  # noqa: B006
    ):
        super().__init__()
        self.save_hyperparameters(logger=False, ignore=ignore)
        self.make(width)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=self.hparams.get("lr", 0.3))


class BelowWhatIsTold(IgnoringWhatItIsTold):
    """What a base is told to leave out is of the classes below it, too."""

    def __init__(self, momentum: float = 0.5, **rest):
        super().__init__(**rest)
        self.save_hyperparameters({"width": 9, "seen": len(self.hparams)}, ignore=rest["ignore"][:1])


class InSetup(BaseTask):
    """Saves when it is made, and what the data says when that is there."""

    def setup(self, stage):
        if stage == "fit":
            self.save_hyperparameters({"rows": len(self.train_dataloader().dataset), "width": 7})

    def __init__(self, width: int = 4, lr: float = 0.1):
        super().__init__()
        self.save_hyperparameters(ignore="lr")
        self.make(width)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=self.hparams.rows / 100)


class InSetupAlone(BaseTask):
    def __init__(self, width: int = 4):
        super().__init__()
        self.make(len(self.hparams) or width)

    def setup(self, stage):
        self.save_hyperparameters(dict(rows=len(stage), lr=0.2))

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=self.hparams.lr)


class IgnoringOfAnObject(BaseTask):
    def __init__(self, config: dict):
        super().__init__()
        self.save_hyperparameters(config, ignore=["width", "lr"])
        self.make(config["width"])

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=self.hparams.get("lr", 0.3))
