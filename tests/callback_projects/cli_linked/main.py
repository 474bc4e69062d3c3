"""LightningCLI with a class of its own: defaults, links, a callback's and an optimizer's arguments, a choice of class."""

from command import ClassifierCLI

if __name__ == "__main__":
    ClassifierCLI()
