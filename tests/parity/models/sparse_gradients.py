import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Embeddings(L.LightningModule):
    def __init__(self, rows: int = 12):
        super().__init__()
        self.bag = nn.EmbeddingBag(rows, 1, sparse=True)

    def training_step(self, batch, batch_idx):
        indices, y = batch
        loss = nn.functional.mse_loss(self.bag(indices), y)
        self.log("loss", loss)
        return loss

    def configure_optimizers(self):
        return torch.optim.SparseAdam(list(self.parameters()), lr=0.1)

    def train_dataloader(self):
        indices = torch.randint(0, 12, (32, 3), generator=torch.Generator().manual_seed(0))
        return DataLoader(
            TensorDataset(indices, indices.float().mean(1, keepdim=True)), batch_size=4, shuffle=True
        )
