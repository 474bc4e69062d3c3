from lightning.pytorch.demos.boring_classes import BoringModel


class Net(BoringModel):
    def training_step(self, batch, batch_idx):
        result = super().training_step(batch, batch_idx)
        self.log("loss", result["loss"])
        return result
