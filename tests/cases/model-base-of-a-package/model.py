import lightning as L
from pl_bolts.models import GAN
class Net(GAN):
    def training_step(self, batch, batch_idx):
        return super().training_step(batch, batch_idx)
if __name__ == "__main__":
    L.Trainer(max_epochs=2).fit(Net())
