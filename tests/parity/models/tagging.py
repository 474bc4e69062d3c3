from functools import partial
from typing import List, NamedTuple

import lightning as L
import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence
from torch.utils.data import DataLoader, Dataset

PAD, WORDS, TAGS = 0, 12, 3


class Sentences(NamedTuple):
    words: Tensor
    tags: Tensor
    lengths: Tensor


def collate(items, padding=PAD) -> Sentences:
    words, tags = zip(*items)
    return Sentences(
        pad_sequence(words, batch_first=True, padding_value=padding),
        pad_sequence(tags, batch_first=True, padding_value=-100),
        torch.tensor([len(each) for each in words]),
    )


class Corpus(Dataset):
    def __init__(self, count: int, seed: int):
        generator = torch.Generator().manual_seed(seed)
        lengths = torch.randint(2, 9, (count,), generator=generator).tolist()
        self.words: List[Tensor] = [torch.randint(1, WORDS, (n,), generator=generator) for n in lengths]

    def __len__(self):
        return len(self.words)

    def __getitem__(self, i):
        return self.words[i], (self.words[i] + self.words[i].roll(1)) % TAGS


class Tagger(L.LightningModule):
    """Sentences of several lengths in named tuples; means count words, not sentences."""

    def __init__(self, embedding_dim=6, hidden_dim=5):
        super().__init__()
        self.save_hyperparameters()
        self.embed = nn.Embedding(WORDS, embedding_dim, padding_idx=PAD)
        self.lstm = nn.LSTM(embedding_dim, hidden_dim, batch_first=True, bidirectional=True)
        self.out = nn.Linear(2 * hidden_dim, TAGS)
        self.criterion = nn.CrossEntropyLoss(ignore_index=-100)

    def forward(self, batch: Sentences) -> Tensor:
        packed = pack_padded_sequence(self.embed(batch.words), batch.lengths.cpu(), batch_first=True, enforce_sorted=False)
        states, _ = pad_packed_sequence(self.lstm(packed)[0], batch_first=True)
        return self.out(states)

    def training_step(self, batch: Sentences, batch_idx: int) -> Tensor:
        loss = self.criterion(self(batch).flatten(0, 1), batch.tags.flatten())
        self.log("loss", loss, batch_size=int(batch.lengths.sum()), on_step=False, on_epoch=True)
        return loss

    def validation_step(self, batch: Sentences, batch_idx: int) -> None:
        known = batch.tags != -100
        correct = (self(batch).argmax(-1) == batch.tags)[known]
        self.log("val_acc", correct.float().mean(), batch_size=correct.numel(), sync_dist=True)

    def configure_optimizers(self):
        dense = torch.optim.Adadelta(self.parameters(), lr=1.0)
        return {"optimizer": dense, "lr_scheduler": {"scheduler": torch.optim.lr_scheduler.StepLR(dense, 3), "interval": "step"}}

    def train_dataloader(self):
        together = partial(collate, padding=PAD)
        return DataLoader(Corpus(26, 0), batch_size=4, shuffle=True, collate_fn=together)

    def val_dataloader(self):
        return DataLoader(Corpus(9, 1), batch_size=3, collate_fn=collate)
