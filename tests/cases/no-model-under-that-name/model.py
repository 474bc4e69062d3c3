import lightning as L
import torch
import yaml
from torch.utils.data import DataLoader

import nets


def main():
    settings = yaml.safe_load(open("settings.yaml"))
    model = nets.make_networks(settings["kind"])
    trainer = L.Trainer(max_epochs=1)
    trainer.fit(model, DataLoader(torch.ones(8, 4), batch_size=2))
    print(settings)


if __name__ == "__main__":
    main()
