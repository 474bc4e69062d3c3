import hydra
import lightning as L


@hydra.main(version_base=None, config_path="conf", config_name="config")
def main(cfg):
    trainer = L.Trainer(max_epochs=1, callbacks=[hydra.utils.instantiate(cfg.stopping)])
    trainer.fit(hydra.utils.instantiate(cfg.model))


if __name__ == "__main__":
    main()
