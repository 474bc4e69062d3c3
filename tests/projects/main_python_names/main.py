import random

import lightning as L
from data import loader
from net import Net


def main():
    L.seed_everything(1)
    rows = pow(4, 2) + random.randint(1, 8)  # Python's own, an integer
    print("rows:", max(rows, 3))
    trainer = L.Trainer(max_epochs=2)
    trainer.fit(Net(), loader(rows))


if __name__ == "__main__":
    main()
