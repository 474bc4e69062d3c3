import lightning as L
import torch


class StepsAll(L.LightningModule):
    """A base that is optimized by hand."""

    automatic_optimization = False

    def descend(self, loss):
        for optimizer in self.optimizers():
            optimizer.zero_grad()
        self.manual_backward(loss)
        for optimizer in self.optimizers():
            self.clip_gradients(optimizer, 0.5, "value")
            optimizer.step()

    def on_train_epoch_end(self):
        scheduler = self.lr_schedulers() if self.trainer.lr_scheduler_configs else None
        if scheduler is not None:
            scheduler.step()
        rate = self.trainer.lr_scheduler_configs[0].scheduler.get_last_lr()[0]
        self.log("rate", rate)
        rates = [each.scheduler.get_last_lr()[0] for each in self.trainer.lr_scheduler_configs]
        self.log("mean_rate", sum(rates) / len(self.trainer.lr_scheduler_configs))

    def configure_optimizers(self):
        first, *others = self.optimizers_of_parts()
        scheduler = torch.optim.lr_scheduler.StepLR(first, 1)
        return [first, *others], [{"scheduler": scheduler, "interval": "epoch"}]

    def optimizers_of_parts(self):
        return [torch.optim.SGD(part.parameters(), lr=self.lr) for part in (self.encoder, self.decoder)]
