import lightning as L
from gan.data import PointsDataModule
from gan.system import GAN


def main() -> None:
    L.seed_everything(2)
    dm = PointsDataModule()
    model = GAN(*dm.dims)
    trainer = L.Trainer(accelerator="auto", devices=1, max_epochs=2, enable_progress_bar=False)
    trainer.fit(model, dm)


if __name__ == "__main__":
    main()
