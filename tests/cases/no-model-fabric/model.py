"""A loop of its own, which the Fabric of Lightning's sets up."""

import lightning as L
import torch
from torch.utils.data import DataLoader, TensorDataset

fabric = L.Fabric(accelerator="cpu")
with fabric.rank_zero_first():
    dataset = TensorDataset(torch.ones(8, 2))
loader = fabric.setup_dataloaders(DataLoader(dataset, batch_size=4))
model = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
model, optimizer = fabric.setup(model, optimizer)
for (batch,) in loader:
    fabric.backward(model(batch).sum())
    optimizer.step()
