import lightning as L
from hooks import checked_types

with checked_types():
    from net import Net


def main():
    trainer = L.Trainer(max_epochs=1)
    trainer.fit(Net())
    print(trainer.current_epoch)


if __name__ == "__main__":
    main()
