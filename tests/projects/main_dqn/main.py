"""Learning from what the agent itself plays while it trains, in a script without functions."""

import os
import random
from collections import deque, namedtuple

import numpy as np
import lightning.pytorch as pl
import torch
from torch import nn
from torch.optim import Adam, Optimizer
from torch.utils.data import DataLoader, IterableDataset

RANK = os.environ.get("RANK", "0")

Experience = namedtuple("Experience", ["state", "action", "reward", "done", "new_state"])


class Env:
    def __init__(self, seed=0):
        self.rng = np.random.RandomState(seed)
        self.t = 0

    def reset(self):
        self.t = 0
        self.s = self.rng.randn(4).astype("float32")
        return self.s

    def step(self, a):
        self.t += 1
        self.s = (0.9 * self.s + 0.1 * (a - 0.5) + 0.05 * self.rng.randn(4)).astype("float32")
        return self.s, float(-np.abs(self.s).sum()), self.t >= 12


class ReplayBuffer:
    def __init__(self, capacity):
        self.buffer = deque(maxlen=capacity)

    def __len__(self):
        return len(self.buffer)

    def append(self, e):
        self.buffer.append(e)

    def sample(self, n):
        idx = np.random.choice(len(self.buffer), n, replace=False)
        s, a, r, d, n_ = zip(*(self.buffer[i] for i in idx))
        return np.array(s), np.array(a), np.array(r, dtype=np.float32), np.array(d, dtype=bool), np.array(n_)


class RLDataset(IterableDataset):
    def __init__(self, buffer, sample_size=48):
        self.buffer, self.sample_size = buffer, sample_size

    def __iter__(self):
        s, a, r, d, n = self.buffer.sample(self.sample_size)
        for i in range(len(d)):
            yield s[i], a[i], r[i], d[i], n[i]


class Agent:
    def __init__(self, env, buffer):
        self.env, self.buffer = env, buffer
        self.reset()

    def reset(self):
        self.state = self.env.reset()

    def get_action(self, net, epsilon, device):
        if np.random.random() < epsilon:
            return np.random.randint(2)
        q = net(torch.tensor(np.array([self.state])).to(device))
        return int(q.argmax(1).item())

    @torch.no_grad()
    def play_step(self, net, epsilon=0.0, device="cpu"):
        a = self.get_action(net, epsilon, device)
        n, r, d = self.env.step(a)
        self.buffer.append(Experience(self.state, a, r, d, n))
        self.state = n
        if d:
            self.reset()
        return r, d


class DQN(nn.Module):
    def __init__(self, obs=4, n=2, hidden=32):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(obs, hidden), nn.ReLU(), nn.Linear(hidden, n))

    def forward(self, x):
        return self.net(x.float())


class DQNLightning(pl.LightningModule):
    def __init__(
        self,
        batch_size=8,
        lr=1e-2,
        gamma=0.99,
        sync_rate=5,
        replay_size=200,
        warm_start_size=100,
        eps_last_frame=50,
        eps_start=1.0,
        eps_end=0.01,
        episode_length=48,
    ):
        super().__init__()
        self.save_hyperparameters()
        self.env = Env()
        self.net, self.target_net = DQN(), DQN()
        self.buffer = ReplayBuffer(self.hparams.replay_size)
        self.agent = Agent(self.env, self.buffer)
        self.total_reward = 0
        self.episode_reward = 0
        self.populate(self.hparams.warm_start_size)

    def populate(self, steps=100):
        for _ in range(steps):
            self.agent.play_step(self.net, epsilon=1.0)

    def forward(self, x):
        return self.net(x)

    def dqn_mse_loss(self, batch):
        states, actions, rewards, dones, next_states = batch
        q = self.net(states).gather(1, actions.long().unsqueeze(-1)).squeeze(-1)
        with torch.no_grad():
            nq = self.target_net(next_states).max(1)[0]
            nq[dones] = 0.0
        return nn.MSELoss()(q, nq * self.hparams.gamma + rewards)

    def get_epsilon(self, start, end, frames):
        return end if self.global_step > frames else start - (self.global_step / frames) * (start - end)

    def training_step(self, batch, nb_batch):
        device = self.get_device(batch)
        eps = self.get_epsilon(self.hparams.eps_start, self.hparams.eps_end, self.hparams.eps_last_frame)
        self.log("epsilon", eps)
        reward, done = self.agent.play_step(self.net, eps, device)
        self.episode_reward += reward
        self.log("episode reward", self.episode_reward)
        loss = self.dqn_mse_loss(batch)
        if done:
            self.total_reward = self.episode_reward
            self.episode_reward = 0
        if self.global_step % self.hparams.sync_rate == 0:
            self.target_net.load_state_dict(self.net.state_dict())
        self.log_dict({"reward": reward, "train_loss": loss})
        self.log("total_reward", self.total_reward, prog_bar=True)
        self.log("steps", float(self.global_step), logger=False, prog_bar=True)
        return loss

    def configure_optimizers(self) -> list[Optimizer]:
        return [Adam(self.net.parameters(), lr=self.hparams.lr)]

    def __dataloader(self):
        return DataLoader(
            RLDataset(self.buffer, self.hparams.episode_length), batch_size=self.hparams.batch_size
        )

    def train_dataloader(self):
        return self.__dataloader()

    def get_device(self, batch):
        return batch[0].device.index if self.on_gpu else "cpu"


random.seed(0)
np.random.seed(0)
torch.manual_seed(0)
model = DQNLightning()
trainer = pl.Trainer(
    strategy="ddp_find_unused_parameters_true",
    accelerator="auto",
    devices=1,
    max_epochs=6,
    val_check_interval=50,
    logger=pl.loggers.CSVLogger(save_dir="logs/"),
)
trainer.fit(model)
torch.save(
    {"reward": model.total_reward, "played": len(model.buffer), "target": model.target_net.state_dict()},
    f"main_dqn.{RANK}.results.pt",
)
