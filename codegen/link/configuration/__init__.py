"""The configuration that a main of hydra's is started with, composed when building, as code of the project's."""
