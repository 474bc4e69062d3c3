from collections import OrderedDict, deque, namedtuple
from typing import Iterator, Tuple

import lightning.pytorch as pl
import numpy as np
import torch
from torch import Tensor, nn
from torch.optim import Adam, Optimizer
from torch.utils.data import DataLoader
from torch.utils.data.dataset import IterableDataset

Experience = namedtuple("Experience", field_names=["state", "action", "reward", "done", "new_state"])


class Corridor:
    """An environment: walk right to the end; each step left or right slips now and then."""

    def __init__(self, length: int = 5):
        self.length, self.position, self.steps = length, 0, 0

    def reset(self):
        self.position, self.steps = 0, 0
        return self._observe()

    def _observe(self):
        return np.eye(self.length, dtype=np.float32)[self.position]

    def step(self, action: int):
        move = 1 if action else -1
        if np.random.random() < 0.1:
            move = -move
        self.position = int(np.clip(self.position + move, 0, self.length - 1))
        self.steps += 1
        reached = self.position == self.length - 1
        return self._observe(), 1.0 if reached else -0.05, reached or self.steps >= 20


class ReplayBuffer:
    def __init__(self, capacity: int) -> None:
        self.buffer = deque(maxlen=capacity)

    def __len__(self):
        return len(self.buffer)

    def append(self, experience: Experience) -> None:
        self.buffer.append(experience)

    def sample(self, batch_size: int) -> Tuple:
        indices = np.random.choice(len(self.buffer), batch_size, replace=False)
        states, actions, rewards, dones, next_states = zip(*(self.buffer[idx] for idx in indices))
        return (
            np.array(states),
            np.array(actions),
            np.array(rewards, dtype=np.float32),
            np.array(dones, dtype=bool),
            np.array(next_states),
        )


class RLDataset(IterableDataset):
    """Samples of the buffer, which grows while training goes on."""

    def __init__(self, buffer: ReplayBuffer, sample_size: int = 200) -> None:
        self.buffer = buffer
        self.sample_size = sample_size

    def __iter__(self) -> Iterator:
        states, actions, rewards, dones, new_states = self.buffer.sample(self.sample_size)
        for i in range(len(dones)):
            yield states[i], actions[i], rewards[i], dones[i], new_states[i]


class Agent:
    def __init__(self, env: Corridor, replay_buffer: ReplayBuffer) -> None:
        self.env = env
        self.replay_buffer = replay_buffer
        self.reset()

    def reset(self) -> None:
        self.state = self.env.reset()

    def get_action(self, net: nn.Module, epsilon: float, device) -> int:
        if np.random.random() < epsilon:
            return int(np.random.randint(2))
        state = torch.tensor(self.state)[None].to(device)
        return int(net(state).argmax(dim=1).item())

    @torch.no_grad()
    def play_step(self, net: nn.Module, epsilon: float = 0.0, device="cpu"):
        action = self.get_action(net, epsilon, device)
        new_state, reward, done = self.env.step(action)
        self.replay_buffer.append(Experience(self.state, action, reward, done, new_state))
        self.state = new_state
        if done:
            self.reset()
        return reward, done


class DQNLightning(pl.LightningModule):
    def __init__(self, lr=1e-2, gamma=0.95, sync_rate=4, replay_size=200, eps_last_frame=40, eps_start=1.0, eps_end=0.05,
                 episode_length=24, warm_start_steps=60, batch_size=8):
        super().__init__()
        self.save_hyperparameters()
        self.env = Corridor()
        self.net = nn.Sequential(nn.Linear(self.env.length, 16), nn.ReLU(), nn.Linear(16, 2))
        self.target_net = nn.Sequential(nn.Linear(self.env.length, 16), nn.ReLU(), nn.Linear(16, 2))
        self.target_net.requires_grad_(False)
        self.buffer = ReplayBuffer(self.hparams.replay_size)
        self.agent = Agent(self.env, self.buffer)
        self.total_reward = 0.0
        self.episode_reward = 0.0
        self.populate(self.hparams.warm_start_steps)

    def populate(self, steps: int = 1000) -> None:
        for _ in range(steps):
            self.agent.play_step(self.net, epsilon=1.0)

    def forward(self, x: Tensor) -> Tensor:
        return self.net(x)

    def dqn_mse_loss(self, batch) -> Tensor:
        states, actions, rewards, dones, next_states = batch
        values = self.net(states).gather(1, actions.long().unsqueeze(-1)).squeeze(-1)
        with torch.no_grad():
            following = self.target_net(next_states).max(1)[0]
            following[dones] = 0.0
            following = following.detach()
        return nn.MSELoss()(values, following * self.hparams.gamma + rewards)

    def get_epsilon(self, start, end, frames):
        if self.global_step > frames:
            return end
        return start - (self.global_step / frames) * (start - end)

    def training_step(self, batch, nb_batch) -> OrderedDict:
        device = self.get_device(batch)
        epsilon = self.get_epsilon(self.hparams.eps_start, self.hparams.eps_end, self.hparams.eps_last_frame)
        self.log("epsilon", epsilon)
        reward, done = self.agent.play_step(self.net, epsilon, device)
        self.episode_reward += reward
        loss = self.dqn_mse_loss(batch)
        if done:
            self.total_reward = self.episode_reward
            self.episode_reward = 0.0
        if self.global_step % self.hparams.sync_rate == 0:
            self.target_net.load_state_dict(self.net.state_dict())
        self.log_dict({"reward": reward, "train_loss": loss})
        self.log("total_reward", self.total_reward, prog_bar=True)
        self.log("steps", self.global_step, logger=False, prog_bar=True)
        return loss

    def configure_optimizers(self) -> Optimizer:
        return Adam(self.net.parameters(), lr=self.hparams.lr)

    def __dataloader(self) -> DataLoader:
        dataset = RLDataset(self.buffer, self.hparams.episode_length)
        return DataLoader(dataset=dataset, batch_size=self.hparams.batch_size)

    def train_dataloader(self) -> DataLoader:
        return self.__dataloader()

    def get_device(self, batch) -> str:
        return batch[0].device.index if self.on_gpu_like() else "cpu"

    def on_gpu_like(self):
        return self.device.type == "cuda"
