import numpy as np
import torch.nn as nn


class Generator(nn.Module):
    def __init__(self, latent_dim, shape):
        super().__init__()
        self.shape = shape

        def block(in_feat, out_feat, normalize=True):
            layers = [nn.Linear(in_feat, out_feat)]
            if normalize:
                layers.append(nn.BatchNorm1d(out_feat, 0.8))
            layers.append(nn.LeakyReLU(0.01, inplace=True))
            return layers

        self.model = nn.Sequential(
            *block(latent_dim, 8, normalize=False), *block(8, 8), nn.Linear(8, int(np.prod(shape))), nn.Tanh()
        )

    def forward(self, z):
        return self.model(z).view(z.size(0), *self.shape)


class Discriminator(nn.Module):
    def __init__(self, shape):
        super().__init__()
        self.model = nn.Sequential(nn.Linear(int(np.prod(shape)), 8), nn.LeakyReLU(0.2, inplace=True), nn.Linear(8, 1))

    def forward(self, points):
        return self.model(points.view(points.size(0), -1)).sigmoid()
