"""How ranks train together: the Trainer's `strategy`, and what the spec's goes with."""
