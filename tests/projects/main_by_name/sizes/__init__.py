from . import few, many
from .few import Size
