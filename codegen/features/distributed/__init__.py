"""What the ranks do together in an optimizer step: how gradients, parameters and states are shared."""
