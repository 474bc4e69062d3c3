import lightning as L
import torch


class Data(L.LightningDataModule):
    def train_dataloader(self):
        return torch.utils.data.DataLoader(torch.ones(4, 2))


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, 1)

    def training_step(self, batch, batch_idx):
        return self.layer(batch).sum()

    def go_back(self, path):
        return self.load_from_checkpoint(path)

    def mine(self):
        return Own().load_from_checkpoint("last.ckpt")

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    @classmethod
    def newest(cls):
        return cls.load_from_checkpoint("last.ckpt")


class Own(Net):
    @classmethod
    def load_from_checkpoint(cls, path):
        return super().load_from_checkpoint(path, strict=False)


if __name__ == "__main__":
    trainer = L.Trainer(max_epochs=1)
    model, data = Net(), Data()
    trainer.fit(model, data)
    model.load_from_checkpoint("last.ckpt")
    data = data.load_from_checkpoint("last.ckpt")
    kind = type(model)
    for each in (Net.load_from_checkpoint("last.ckpt"), kind.load_from_checkpoint("last.ckpt"), Net.newest()):
        print(each.go_back("last.ckpt"))
