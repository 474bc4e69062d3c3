import lightning as L
import torch
from torch.utils.data import DataLoader, TensorDataset


class Data(L.LightningDataModule):
    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.rand(4, 2)))

    def test_dataloader(self):
        return self.train_dataloader()

    def predict_dataloader(self):
        return super().predict_dataloader()


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, 1)

    def training_step(self, batch, batch_idx):
        return self.layer(batch[0]).mean()

    def predict_step(self, batch, batch_idx):
        return self.layer(batch[0])

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 0.1)


def main():
    model, data = Net(), Data()
    L.Trainer(max_epochs=1).fit(model, data)
    for number, batch in enumerate(data.test_dataloader()):
        print(model.predict_step(batch, number))


if __name__ == "__main__":
    main()
