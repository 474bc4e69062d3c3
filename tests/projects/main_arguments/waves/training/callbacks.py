from lightning.pytorch.callbacks import Callback, EarlyStopping, ModelCheckpoint


class GradientNorm(Callback):
    """Logs the norm of all gradients before they are clipped."""

    def on_before_optimizer_step(self, trainer, pl_module, optimizer):
        norms = [p.grad.norm() for p in pl_module.parameters() if p.grad is not None]
        pl_module.log("grad_norm", sum(norm**2 for norm in norms) ** 0.5)


def callbacks_for(args):
    callbacks = [
        ModelCheckpoint(monitor="val/acc", mode="max", filename="{epoch}"),
        GradientNorm(),
    ]
    if args.patience > 0:
        callbacks.append(EarlyStopping("val/loss", patience=args.patience))
    return callbacks
