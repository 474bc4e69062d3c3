"""What the training loop is made of: the module, optimizers, evaluation."""
