"""The model and the data module as classes: hooks, steps, hyperparameters."""
