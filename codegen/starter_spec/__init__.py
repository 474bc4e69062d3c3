"""The spec that `ddpgen init` writes."""
