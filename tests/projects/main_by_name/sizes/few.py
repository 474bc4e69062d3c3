import lightning as L


class Size:
    """A module that Lightning is used in becomes part of the script."""

    trainer: L.Trainer | None = None

    def __init__(self, rows):
        self.rows = rows


SIZE = Size(16)
