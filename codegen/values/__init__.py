"""What an expression may be, here: an inclusion-based points-to analysis with the call graph built on the fly.

`flow` holds the state; each kind of rule has a file of its own in `rules`: `expressions`, `statements`, `calls`,
`attributes`, `containers`, `library` (what libraries' functions do), `escapes` (what code that is not read may call)
and `uncalled`.
"""

from .abstract import (
    BoundMethod,
    Class,
    Container,
    Descriptor,
    Dict,
    External,
    Function,
    Instance,
    Lightning,
    Literal,
    Member,
    Option,
    Partial,
    Sequence,
    Super,
    Unknown,
    Value,
)
from .metaclasses.making import Making, is_made, making_of, new_class_of
from .options import is_whole, may_be_no_integer, may_be_none, takes_positional
from .origins import Origin
from .reasons import reason_of
from .rules.expressions import truth_of
from .rules.library import COMPUTED
from .rules.parsers import ADDING as PARSERS_ADDING
from .rules.parsers import MADE_TRAINER
from .rules.parsers import OF_LIGHTNING as CLASS_PARSER
from .rules.parsers import is_parser as is_class_parser
from .values import Given, GivenArguments, Values, ValueSet, values_of

__all__ = [
    "CLASS_PARSER",
    "COMPUTED",
    "MADE_TRAINER",
    "PARSERS_ADDING",
    "BoundMethod",
    "Class",
    "Container",
    "Descriptor",
    "Dict",
    "External",
    "Function",
    "Given",
    "GivenArguments",
    "Instance",
    "Lightning",
    "Literal",
    "Making",
    "Member",
    "Option",
    "Origin",
    "Partial",
    "Sequence",
    "Super",
    "Unknown",
    "Value",
    "ValueSet",
    "Values",
    "is_class_parser",
    "is_made",
    "is_whole",
    "making_of",
    "may_be_no_integer",
    "may_be_none",
    "new_class_of",
    "reason_of",
    "takes_positional",
    "truth_of",
    "values_of",
]
