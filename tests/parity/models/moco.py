import copy

import lightning as L
import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset


@torch.no_grad()
def concat_all_gather(tensor):
    """Every rank's, by torch's own means."""
    if not (dist.is_available() and dist.is_initialized()):
        return tensor
    gathered = [torch.ones_like(tensor) for _ in range(dist.get_world_size())]
    dist.all_gather(gathered, tensor, async_op=False)
    return torch.cat(gathered, dim=0)


class MoCo(L.LightningModule):
    """A queue of negatives in buffers, and a momentum encoder that no gradient reaches."""

    def __init__(self, dim: int = 4, K: int = 24, m: float = 0.9, T: float = 0.2):
        super().__init__()
        self.K, self.m, self.T = K, m, T
        self.encoder_q = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, dim))
        self.encoder_k = copy.deepcopy(self.encoder_q)
        for param_q, param_k in zip(self.encoder_q.parameters(), self.encoder_k.parameters()):
            param_k.data.copy_(param_q.data)
            param_k.requires_grad = False
        self.register_buffer("queue", F.normalize(torch.randn(dim, K), dim=0))
        self.register_buffer("queue_ptr", torch.zeros(1, dtype=torch.long))

    @torch.no_grad()
    def _momentum_update_key_encoder(self):
        for param_q, param_k in zip(self.encoder_q.parameters(), self.encoder_k.parameters()):
            param_k.data = param_k.data * self.m + param_q.data * (1.0 - self.m)

    @torch.no_grad()
    def _dequeue_and_enqueue(self, keys):
        keys = concat_all_gather(keys)
        batch_size, ptr = keys.shape[0], int(self.queue_ptr)
        places = (ptr + torch.arange(batch_size)) % self.K
        self.queue[:, places] = keys.T
        self.queue_ptr[0] = (ptr + batch_size) % self.K

    def forward(self, im_q, im_k):
        q = F.normalize(self.encoder_q(im_q), dim=1)
        with torch.no_grad():
            self._momentum_update_key_encoder()
            k = F.normalize(self.encoder_k(im_k), dim=1)
        l_pos = torch.einsum("nc,nc->n", [q, k]).unsqueeze(-1)
        l_neg = torch.einsum("nc,ck->nk", [q, self.queue.clone().detach()])
        logits = torch.cat([l_pos, l_neg], dim=1) / self.T
        labels = torch.zeros(logits.shape[0], dtype=torch.long, device=self.device)
        self._dequeue_and_enqueue(k)
        return logits, labels

    def training_step(self, batch, batch_idx):
        (x,) = batch
        noise = torch.randn(2, *x.shape, device=x.device) * 0.1
        output, target = self(x + noise[0], x + noise[1])
        loss = F.cross_entropy(output, target)
        self.log("acc1", (output.argmax(1) == 0).float().mean())
        self.log("train_loss", loss, sync_dist=True)
        return loss

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.03, momentum=0.9, weight_decay=1e-4)

    def train_dataloader(self):
        data = TensorDataset(torch.randn(32, 6, generator=torch.Generator().manual_seed(6)))
        return DataLoader(data, batch_size=4, shuffle=True, drop_last=True)
