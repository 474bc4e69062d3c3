from .few import Size

SIZE = Size(32)
