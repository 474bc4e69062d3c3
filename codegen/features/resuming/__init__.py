"""How a run goes on: from which checkpoint, where in an epoch, with which random numbers."""
