from classifier import Classifier
from engine.options import Options
from engine.train import Engine
from lightning import seed_everything


def main():
    seed_everything(5)
    model = Classifier()
    Engine(Options(epochs=3)).run(model)


if __name__ == "__main__":
    main()
