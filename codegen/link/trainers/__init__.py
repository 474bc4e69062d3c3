"""Classes of the project's that derive from Lightning's Trainer, read as functions that make one."""
