import lightning as L
import torch
import torch.nn.functional as F

from . import nets


class GAN(L.LightningModule):
    def __init__(self, channels, width, height, latent_dim: int = 3, lr: float = 0.01, b1: float = 0.5, **kwargs):
        super().__init__()
        self.save_hyperparameters()
        self.automatic_optimization = False
        shape = (channels, width, height)
        self.generator = nets.Generator(latent_dim=self.hparams.latent_dim, shape=shape)
        self.discriminator = nets.Discriminator(shape=shape)
        self.validation_z = torch.randn(8, self.hparams.latent_dim)

    def forward(self, z):
        return self.generator(z)

    def adversarial_loss(self, y_hat, y):
        return F.binary_cross_entropy(y_hat, y)

    def training_step(self, batch):
        imgs, _ = batch
        optimizer_g, optimizer_d = self.optimizers()
        z = torch.randn(imgs.shape[0], self.hparams.latent_dim).type_as(imgs)

        self.toggle_optimizer(optimizer_g)
        self.generated_imgs = self(z)
        valid = torch.ones(imgs.size(0), 1).type_as(imgs)
        g_loss = self.adversarial_loss(self.discriminator(self(z)), valid)
        self.log("g_loss", g_loss, prog_bar=True)
        self.manual_backward(g_loss)
        optimizer_g.step()
        optimizer_g.zero_grad()
        self.untoggle_optimizer(optimizer_g)

        self.toggle_optimizer(optimizer_d)
        real_loss = self.adversarial_loss(self.discriminator(imgs), valid)
        fake = torch.zeros(imgs.size(0), 1).type_as(imgs)
        fake_loss = self.adversarial_loss(self.discriminator(self(z).detach()), fake)
        d_loss = (real_loss + fake_loss) / 2
        self.log("d_loss", d_loss, prog_bar=True)
        self.manual_backward(d_loss)
        optimizer_d.step()
        optimizer_d.zero_grad()
        self.untoggle_optimizer(optimizer_d)

    def configure_optimizers(self):
        lr, b1 = self.hparams.lr, self.hparams.b1
        opt_g = torch.optim.Adam(self.generator.parameters(), lr=lr, betas=(b1, 0.999))
        opt_d = torch.optim.Adam(self.discriminator.parameters(), lr=lr, betas=(b1, 0.999))
        return [opt_g, opt_d], []

    def on_train_epoch_end(self):
        with torch.no_grad():
            self.log("spread", self(self.validation_z.type_as(self.generator.model[0].weight)).std())
