from __future__ import annotations

from dataclasses import dataclass

import lightning as L
import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, Dataset


@dataclass
class Graph:
    x: Tensor
    edges: Tensor
    y: int


class GraphBatch:
    """Graphs side by side, with one sparse matrix of neighbours; it says itself how it goes to a device."""

    def __init__(self, x, adjacency, owner, y):
        self.x, self.adjacency, self.owner, self.y = x, adjacency, owner, y

    @classmethod
    def collate(cls, graphs: list[Graph]) -> GraphBatch:
        sizes = [len(graph.x) for graph in graphs]
        starts = torch.tensor([0, *sizes]).cumsum(0)[:-1]
        edges = torch.cat([graph.edges + start for graph, start in zip(graphs, starts)], dim=1)
        total = sum(sizes)
        adjacency = torch.sparse_coo_tensor(edges, torch.ones(edges.shape[1]), (total, total)).coalesce()
        owner = torch.repeat_interleave(torch.arange(len(graphs)), torch.tensor(sizes))
        return cls(torch.cat([g.x for g in graphs]), adjacency, owner, torch.tensor([g.y for g in graphs]))

    @property
    def num_graphs(self) -> int:
        return len(self.y)

    def to(self, device, non_blocking=False) -> GraphBatch:
        parts = (self.x, self.adjacency, self.owner, self.y)
        return GraphBatch(*(part.to(device) for part in parts))


class Rings(Dataset):
    """Rings and stars of several sizes."""

    def __init__(self, count: int):
        self.count = count

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, index: int) -> Graph:
        nodes, is_ring = 3 + index % 4, index % 2
        others = torch.arange(1, nodes)
        if is_ring:
            sources, targets = torch.arange(nodes), (torch.arange(nodes) + 1) % nodes
        else:
            sources, targets = torch.zeros_like(others), others
        edges = torch.stack([torch.cat([sources, targets]), torch.cat([targets, sources])])
        x = torch.randn(nodes, 2, generator=torch.Generator().manual_seed(index))
        return Graph(x, edges, is_ring)


class GraphConvolution(nn.Module):
    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.own, self.others = nn.Linear(inputs, outputs), nn.Linear(inputs, outputs, bias=False)

    def forward(self, x: Tensor, adjacency: Tensor) -> Tensor:
        return self.own(x) + self.others(torch.sparse.mm(adjacency, x))


class GraphNetwork(L.LightningModule):
    def __init__(self, hidden: int = 8) -> None:
        super().__init__()
        self.convolutions = nn.ModuleList([GraphConvolution(2, hidden), GraphConvolution(hidden, hidden)])
        self.readout = nn.Linear(hidden, 2)

    def forward(self, batch: GraphBatch) -> Tensor:
        x = batch.x
        for convolution in self.convolutions:
            x = convolution(x, batch.adjacency).relu()
        pooled = x.new_zeros(batch.num_graphs, x.shape[1]).index_add_(0, batch.owner, x)
        return self.readout(pooled)

    def training_step(self, batch: GraphBatch, batch_idx: int) -> Tensor:
        loss = nn.functional.cross_entropy(self(batch), batch.y)
        self.log("train_loss", loss, on_step=True, on_epoch=True, batch_size=batch.num_graphs)
        return loss

    def validation_step(self, batch: GraphBatch, batch_idx: int) -> None:
        correct = (self(batch).argmax(1) == batch.y).float()
        self.log("val_acc", correct.mean(), batch_size=batch.num_graphs, sync_dist=True)

    def configure_optimizers(self) -> torch.optim.Optimizer:
        return torch.optim.Adam(self.parameters(), lr=0.02, weight_decay=5e-4)

    def train_dataloader(self) -> DataLoader:
        return DataLoader(Rings(30), batch_size=7, shuffle=True, collate_fn=GraphBatch.collate)

    def val_dataloader(self) -> DataLoader:
        return DataLoader(Rings(10), batch_size=4, collate_fn=GraphBatch.collate)
