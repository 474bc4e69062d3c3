import logging

import lightning as L

from classifier import Classifier
from src.logging import Widens

logger = logging.getLogger(__name__)

if __name__ == "__main__":
    L.seed_everything(1)
    logger.setLevel(logging.ERROR)
    trainer = L.Trainer(max_epochs=2, callbacks=[Widens()])
    trainer.fit(Classifier())
