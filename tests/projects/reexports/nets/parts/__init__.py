from .block import Block
from .data import samples as samples
