"""The one place that names ddpgen's version; read at build time without importing anything else."""

__version__ = "0.1.0"
