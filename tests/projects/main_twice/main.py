import lightning as L
from classifier import Classifier


def train(seed):
    L.seed_everything(seed)
    trainer = L.Trainer(max_epochs=seed, enable_progress_bar=False)
    model = Classifier(4)
    trainer.fit(model)
    return model


if __name__ == "__main__":
    first = train(1)
    second = train(2)
    print((first.layers[1].weight - second.layers[1].weight).sum().item())
