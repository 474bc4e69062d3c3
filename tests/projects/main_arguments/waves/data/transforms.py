"""What is done to a wave before a model sees it."""

import torch


class Compose:
    def __init__(self, *steps):
        self.steps = steps

    def __call__(self, wave):
        for step in self.steps:
            wave = step(wave)
        return wave


def normalize(wave):
    return (wave - wave.mean()) / wave.std().clamp_min(1e-6)


def flip_at_random(wave):
    return -wave if torch.rand(()) < 0.5 else wave
