"""One walk over the syntax tree, which all that asks about the user's code asks."""

from .index import Index, index_of
from .scope import Binding, Scope, Variable

__all__ = ["Binding", "Index", "Scope", "Variable", "index_of"]
