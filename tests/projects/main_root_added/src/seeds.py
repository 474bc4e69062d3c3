import lightning as L


def seed_all():
    L.seed_everything(3)
