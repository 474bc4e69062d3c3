"""What an option of argparse's may be, as the calls say that add it to the parser."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property, partial

import libcst as cst

from ..index import Index, targets
from ..index import patterns as m
from .abstract import Option

SETTING = frozenset("setattr vars __dict__ __setattr__".split())
"""Names in code that may set attributes under names that are not read."""

ADDING_MORE = (
    *("add_argparse_args", "add_class_arguments", "add_dataclass_arguments", "add_lightning_class_args"),
    *("add_subclass_arguments", "set_defaults"),
)
"""Methods that add options without naming each."""

PARSING = ("parse_args", "parse_known_args")

OF_TEXTS = ("os.environ", "os.getenv", "sys.argv")
"""Where all options are texts."""


def added_by(index: Index, option: Option) -> list[cst.Call]:
    """The calls of `add_argument` that say what an option is; none: it is not known."""
    call, (first, _, name) = option.node, option.name.partition(".")
    is_parsed = isinstance(call, cst.Call) and _method(call) in PARSING and first == "args"
    if not is_parsed or not name.isidentifier() or index.attributes("set_defaults"):
        return []
    return list(_adding(index, name))


def takes_positional(index: Index) -> bool:
    """Whether a parser of the code's may take arguments by their places: commands, or what is no option."""
    calls = (index.parent(node) for node in index.attributes("add_argument"))
    is_any_added = any(isinstance(each, cst.Call) and not _is_of_option(each) for each in calls)
    return is_any_added or bool(index.attributes("add_subparsers"))


def _is_of_option(call: cst.Call) -> bool:
    """Whether the name that is added surely begins with a dash."""
    name = call.args[0] if call.args else None
    if name is None or name.keyword or name.star:
        return False
    said = _text(name.value)
    if isinstance(name.value, cst.FormattedString) and name.value.parts:  # f"--{name}"
        first = name.value.parts[0]
        said = first.value if isinstance(first, cst.FormattedStringText) else None
    return said is not None and said.startswith("-")


class NeverAdded:
    """Says which names no parser adds options under, so that code has set what a namespace has there.

    Code that sets what it has under names that are not read may have set those too.
    """

    def __init__(self, index: Index) -> None:
        self._index = index

    def has(self, option: Option, name: str) -> bool:
        call = option.node
        if option.name != "args" or not isinstance(call, cst.Call) or any(each.keyword for each in call.args):
            return False
        return self._is_told and name not in self._texts and not any(name in each for each in self._names)

    @cached_property
    def _is_told(self) -> bool:
        """Whether all options are named where they are added."""
        index = self._index
        is_told = bool(self._names) and all(self._names)
        return is_told and not index.attributes(*ADDING_MORE) and not _sets_unread(index)

    @cached_property
    def _names(self) -> list[set[str]]:
        adding = [self._index.parent(node) for node in self._index.attributes("add_argument")]
        return [_names(each) if isinstance(each, cst.Call) else set() for each in adding]

    @cached_property
    def _texts(self) -> set[str | None]:
        """Those by which something may be set, or asked for."""
        texts = self._index.of_kind(cst.SimpleString)
        return {_text(each) for each in texts if not _is_key(self._index, each)}


def _is_key(index: Index, node: cst.SimpleString) -> bool:
    """Whether a text is the key of an element, in a dict or in `...[...]`."""
    parent = index.parent(node)
    return isinstance(parent, cst.Index) or (isinstance(parent, cst.DictElement) and parent.key is node)


def _sets_unread(index: Index) -> bool:
    """Whether code may set attributes under names that are not read; what is done with `vars(args)` is."""
    used = [each for each in index.of_kind(cst.Name) if each.value in SETTING]
    are_read = all(each.value == "vars" and _is_called(index, each) for each in used)
    return not are_read or (bool(used) and bool(index.of_kind(cst.BitOrAssign)))


def _is_called(index: Index, node: cst.Name) -> bool:
    call = index.parent(node)
    return isinstance(call, cst.Call) and call.func is node


def choices_of(index: Index, option: Option) -> tuple[str, ...]:
    """All texts that it may be; none: it may be others."""
    if _may_be_set(index, option.name.partition(".")[2]):
        return ()
    parts = [_texts(each) for each in added_by(index, option)]
    return tuple(dict.fromkeys(text for part in parts for text in part)) if all(parts) else ()


def _may_be_set(index: Index, name: str) -> bool:
    """Whether code may give an option another value than the command line has."""
    is_target = any(map(partial(targets.is_target, index), index.attributes(name)))
    return is_target or any(each.value in SETTING for each in index.of_kind(cst.Name))


def may_be_none(index: Index, option: Option) -> bool:
    """Whether an option may be left out, and has no default."""
    return any(_may_be_none(each) for each in added_by(index, option))


def may_be_no_integer(index: Index, option: Option) -> bool:
    """Whether what the command line or the environment says is not made one, but is a text, for example."""
    named = map(_named, added_by(index, option))
    is_text = any("action" not in each and not m.matches(each.get("type"), m.Name("int")) for each in named)
    return is_text or option.name.startswith(OF_TEXTS)


def is_whole(index: Index, option: Option) -> bool:
    """Whether an option is a whole number, whatever the command line says."""
    calls = added_by(index, option)
    is_set = _may_be_set(index, option.name.partition(".")[2])
    return bool(calls) and not is_set and all(map(_is_whole, calls))


def _is_whole(call: cst.Call) -> bool:
    named = _named(call)
    default = named.get("default")
    is_given = isinstance(default, cst.Integer) or (default is None and not _may_be_none(call))
    return is_given and m.matches(named.get("type"), m.Name("int")) and "nargs" not in named


def _may_be_none(call: cst.Call) -> bool:
    named, flags = _named(call), [_text(each.value) for each in call.args if each.keyword is None]
    is_flag = any(each and each.startswith("-") for each in flags)
    is_given = "default" in named and not m.matches(named["default"], m.Name("None"))
    return is_flag and not is_given and "required" not in named


def _named(call: cst.Call) -> dict[str, cst.BaseExpression]:
    return {each.keyword.value: each.value for each in call.args if each.keyword}


def _method(call: cst.Call) -> str:
    return call.func.attr.value if isinstance(call.func, cst.Attribute) else ""


def _adding(index: Index, name: str) -> Iterator[cst.Call]:
    """The calls that add an option of that name."""
    for node in index.attributes("add_argument"):
        call = index.parent(node)
        if isinstance(call, cst.Call) and name in _names(call):
            yield call


def _names(call: cst.Call) -> set[str]:
    flags = [each.value for each in call.args if each.keyword is None]
    said = [_text(each.value) for each in call.args if each.keyword and each.keyword.value == "dest"]
    texts = said or [_text(each) for each in flags]
    return {text.lstrip("-").replace("-", "_") for text in texts if text}


def _texts(call: cst.Call) -> tuple[str, ...]:
    """The choices that a call names, and its default; none: they are not all known."""
    named = _named(call)
    choices = named.get("choices")
    if not isinstance(choices, cst.List | cst.Tuple | cst.Set) or any(each.star for each in call.args):
        return ()
    given = [each.value for each in choices.elements]
    texts = [_text(each) for each in (*given, *([named["default"]] if "default" in named else []))]
    return tuple(filter(None, texts)) if all(texts) and "nargs" not in named else ()


def _text(node: cst.BaseExpression) -> str | None:
    value = node.evaluated_value if isinstance(node, cst.SimpleString) else None
    return value if isinstance(value, str) else None
