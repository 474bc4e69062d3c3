"""Batches on their way to the device, and their sizes: what Lightning's own functions make of the same batches."""

from __future__ import annotations

from collections import Counter, OrderedDict, UserDict, UserList, defaultdict, deque, namedtuple
from collections.abc import Iterable, Iterator
from dataclasses import InitVar, dataclass, field, fields, is_dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch
from ddpgen.strategies.data.data import batch_size_of, first_tensor, lookahead, to_device
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lightning.fabric.utilities.apply_func import move_data_to_device
from lightning.pytorch.utilities.data import extract_batch_size
from lightning.pytorch.utilities.exceptions import MisconfigurationException
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_sequence

META = torch.device("meta")
unhurried = settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
Point = namedtuple("Point", "x y")

pytestmark = pytest.mark.filterwarnings("ignore:Trying to infer the `batch_size`")


class Sample(NamedTuple):
    image: Any
    label: Any = "unknown"


@dataclass
class Pair:
    first: Any
    second: Any = None


@dataclass
class Mail:
    """Has a field that is called like the method."""

    text: Any
    to: str


@dataclass
class Derived:
    x: Any
    doubled: Any = field(init=False)

    def __post_init__(self) -> None:
        self.doubled = self.x * 2


@dataclass
class Cached:
    x: Any

    @cached_property
    def mask(self) -> Tensor:
        result: Tensor = self.x > 0
        return result


@dataclass(frozen=True)
class Frozen:
    x: Any


class Odd(OrderedDict[str, Any]):
    """A user's own mapping."""


class Row(list[Any]):
    """A user's own sequence."""


class Movable:
    """Not a tensor, but has a `to`."""

    def __init__(self, x: Tensor) -> None:
        self.x = x

    def to(self, device: torch.device) -> Movable:
        return Movable(self.x.to(device))


class Forgetful(Movable):
    """Moves itself, and forgets to return itself."""

    def to(self, device: torch.device) -> Any:
        self.x = self.x.to(device)


class Plain:
    """Has no `to`."""

    def __init__(self, x: Tensor) -> None:
        self.x = x


def alike(one: Any, other: Any) -> bool:
    """Of the same types throughout, with tensors of the same shapes, types and devices, and else equal."""
    if type(one) is not type(other):
        return False
    if isinstance(one, Tensor):
        same = (one.shape, one.dtype, one.device, one.requires_grad)
        return same == (other.shape, other.dtype, other.device, other.requires_grad)
    if isinstance(one, dict | UserDict):
        default = getattr(one, "default_factory", None) is getattr(other, "default_factory", None)
        return default and list(one) == list(other) and all(alike(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple | UserList | deque):
        return len(one) == len(other) and all(map(alike, one, other))
    if is_dataclass(one) or isinstance(one, Movable | Plain):
        return alike(vars(one), vars(other))
    return bool(one == other)


def t(*shape: int) -> Tensor:
    return torch.zeros(shape)


HANDLED: dict[str, Any] = {
    "a tensor": lambda: t(2, 3),
    "a scalar tensor": lambda: torch.tensor(1),
    "a parameter": lambda: nn.Parameter(t(2)),
    "an integer tensor": lambda: torch.tensor([1, 2]),
    "a list": lambda: [t(2), t(3)],
    "a tuple": lambda: (t(2), t(3)),
    "a mixed list": lambda: [t(2), 3, "text", None, b"bytes", 1.5, True],
    "a mixed tuple": lambda: (t(2), 3, "text", None),
    "a dict": lambda: {"x": t(2), "y": t(3)},
    "a mixed dict": lambda: {"x": t(2), 7: "text", None: None},
    "an OrderedDict": lambda: OrderedDict(b=t(2), a=3),
    "a defaultdict": lambda: defaultdict(list, x=[t(2)]),
    "a defaultdict of numbers": lambda: defaultdict(int, x=t(2)),
    "a defaultdict without default": lambda: defaultdict(None, x=t(2)),
    "a Counter": lambda: Counter("aab"),
    "a UserDict": lambda: UserDict(x=t(2)),
    "a UserList": lambda: UserList([t(2), 1]),
    "a subclass of a mapping": lambda: Odd(x=t(2), y=1),
    "a subclass of a list": lambda: Row([t(2), 1]),
    "a deque": lambda: deque([t(2), 1]),
    "a namedtuple": lambda: Point(t(2), [t(3), 4]),
    "a NamedTuple with a default": lambda: Sample(t(2)),
    "a dataclass": lambda: Pair(t(2), {"x": t(3)}),
    "a dataclass in a dataclass": lambda: Pair(Pair(t(2), "text"), Pair(None, [Pair(t(1))])),
    "a PackedSequence": lambda: pack_sequence([t(3), t(2)]),
    "an object with `to`": lambda: Movable(t(2)),
    "objects with `to`": lambda: {"x": [Movable(t(2)), t(3)]},
    "an object without `to`": lambda: [Plain(t(2)), t(2)],
    "None": lambda: None,
    "a string": lambda: "text",
    "bytes": lambda: b"\x00\x01",
    "a number": lambda: 3,
    "an array": lambda: [np.zeros(3), np.float32(2)],
    "a set": lambda: {1, 2},
    "an empty list": lambda: [],
    "an empty dict": lambda: {},
    "an empty tuple": lambda: (),
    "a torch.Size": lambda: [torch.Size([2, 3])],
    "a result of torch.max": lambda: torch.max(t(2, 2), dim=1),
    "deep": lambda: [{"a": ({"b": [Point(t(1), (t(2),))]},)}],
}


def same_arrays(batch: Any) -> Any:
    """Arrays cannot be compared as a whole."""
    return [part.tolist() if isinstance(part, np.ndarray) else part for part in batch]


@pytest.mark.parametrize("make", HANDLED.values(), ids=HANDLED)
def test_to_device_moves_what_lightning_moves(make: Any) -> None:
    """Semantics 4.9."""
    moved, expected = to_device(make(), META), move_data_to_device(make(), META)
    if isinstance(moved, list):
        moved, expected = same_arrays(moved), same_arrays(expected)
    assert alike(moved, expected)


@pytest.mark.parametrize("make", HANDLED.values(), ids=HANDLED)
def test_to_device_leaves_the_batch_itself_as_it_was(make: Any) -> None:
    batch, before = make(), make()
    to_device(batch, META)
    if isinstance(batch, list):
        batch, before = same_arrays(batch), same_arrays(before)
    assert alike(batch, before)


def test_to_device_keeps_the_tensors_that_are_there() -> None:
    batch = {"x": [t(2)], "y": t(3)}
    moved = to_device(batch, torch.device("cpu"))
    assert moved["x"][0] is batch["x"][0]
    assert moved["y"] is batch["y"]


def test_to_device_does_not_wait_for_tensors() -> None:
    class Noting(Tensor):
        def to(self, *args: Any, **kwargs: Any) -> Any:
            return args, kwargs

    assert to_device(t(2).as_subclass(Noting), META) == ((META,), {"non_blocking": True})


def test_a_dataclasses_class_is_no_batch() -> None:
    assert to_device([Pair], META) == move_data_to_device([Pair], META) == [Pair]


def test_a_frozen_dataclass_is_an_error_for_both() -> None:
    for move in (to_device, move_data_to_device):
        with pytest.raises((AttributeError, ValueError)):
            move(Frozen(t(2)), META)


def test_attributes_that_are_no_fields_come_along() -> None:
    for move in (to_device, move_data_to_device):
        pair = Pair(t(2))
        pair.note = "extra"  # type: ignore[attr-defined]
        assert move(pair, META).note == "extra"


def test_an_argument_of_the_constructor_alone_is_not_asked_for() -> None:
    @dataclass
    class Scaled:
        x: Any
        scale: InitVar[int]

        def __post_init__(self, scale: int) -> None:
            self.x = self.x * scale

    assert to_device(Scaled(t(2), 3), META).x.device == META


@pytest.mark.parametrize("batch", [Mail(t(2), to="you"), [Tensor, t(2)]], ids=["a field `to`", "a class"])
def test_only_a_method_is_a_way_to_a_device(batch: Any) -> None:
    assert alike(to_device(batch, META), move_data_to_device(batch, META))


def test_what_moves_itself_and_returns_nothing_stays_in_the_batch() -> None:
    moved = to_device([Forgetful(t(2))], META)
    assert alike(moved, move_data_to_device([Forgetful(t(2))], META))


def test_cached_properties_are_computed_anew() -> None:
    one, other = Cached(t(2)), Cached(t(2))
    assert one.mask.device == other.mask.device == torch.device("cpu")
    expected = move_data_to_device(other, META).mask.device
    assert to_device(one, META).mask.device == expected == META


def test_fields_that_the_constructor_does_not_take_stay_where_they_are() -> None:
    assert alike(to_device(Derived(t(2)), META), move_data_to_device(Derived(t(2)), META))


# ---- any nesting -----------------------------------------------------------------------------------------

shapes = st.lists(st.integers(0, 3), max_size=3)
leaves = st.one_of(
    shapes.map(lambda shape: torch.zeros(shape)),
    st.integers(-3, 3),
    st.floats(allow_nan=False),
    st.text(max_size=3),
    st.binary(max_size=3),
    st.none(),
    st.booleans(),
)


def nested(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    lists = st.lists(inner, max_size=4)
    keys = st.text(max_size=2)
    return st.one_of(
        lists,
        lists.map(tuple),
        lists.map(Row),
        lists.map(deque),
        lists.map(UserList),
        st.dictionaries(keys, inner, max_size=4),
        st.dictionaries(keys, inner, max_size=4).map(OrderedDict),
        st.dictionaries(keys, inner, max_size=4).map(lambda items: defaultdict(list, items)),
        st.builds(Point, inner, inner),
        st.builds(Pair, inner, inner),
    )


batches = st.recursive(leaves, nested, max_leaves=12)


@unhurried
@given(batches)
def test_any_nesting_is_moved_as_lightning_moves_it(batch: Any) -> None:
    assert alike(to_device(batch, META), move_data_to_device(batch, META))


def size_of(batch: Any, size: Any) -> int | None:
    """The batch's size; None where there is none, which is an error."""
    try:
        found: int = size(batch)
    except (ValueError, MisconfigurationException):
        return None
    return found


@unhurried
@given(batches)
def test_the_size_of_any_nesting_is_lightnings(batch: Any) -> None:
    """Semantics 9.3."""
    assert size_of(batch, batch_size_of) == size_of(batch, extract_batch_size)


def numbers() -> Iterator[Any]:
    yield 1
    yield t(6)


class Batches(Iterable[Any]):
    def __iter__(self) -> Iterator[Any]:
        return numbers()


@dataclass
class Graph(Iterable[Any]):
    """A dataclass that can be iterated over: Lightning does that, and does not look at the fields."""

    x: Any

    def __iter__(self) -> Iterator[Any]:
        return iter([t(9)])


SIZED: dict[str, tuple[Any, int | None]] = {
    "the first tensor": ([t(4, 2), t(5)], 4),
    "a scalar tensor": ([torch.tensor(7)], 1),
    "no samples": ({"x": t(0, 3)}, 0),
    "depth first": ([{"a": [1, (t(3),)]}, t(8)], 3),
    "behind strings": (["four", "letters", t(5)], 5),
    "a generator": (numbers(), 6),
    "an iterable": (Batches(), 6),
    "an iterable dataclass": (Graph(t(2)), 9),
    "a set": ({3, 4}, None),
    "sparse": (torch.eye(3).to_sparse(), 3),
    "a PackedSequence": (pack_sequence([t(3), t(2)]), 5),
    "numbers": ([1, 2, 3], None),
    "a string": ("text", None),
    "nothing": (None, None),
    "an empty dict": ({}, None),
    "an array": (np.zeros((2, 2)), None),
}


@pytest.mark.parametrize(("batch", "size"), SIZED.values(), ids=SIZED)
def test_sizes(batch: Any, size: int | None) -> None:
    fresh = numbers() if isinstance(batch, Iterator) else batch
    assert size_of(fresh, batch_size_of) == size
    assert size_of(numbers() if isinstance(batch, Iterator) else batch, extract_batch_size) == size


def test_a_dataclass_itself_is_no_part_of_the_batch() -> None:
    assert batch_size_of([Pair, t(3)]) == extract_batch_size([Pair, t(3)]) == 3


def test_a_batch_without_a_size_says_what_to_do() -> None:
    with pytest.raises(ValueError, match=r"give self\.log\(\) a batch_size"):
        batch_size_of(["no", "tensor"])


def test_first_tensor_is_the_very_tensor() -> None:
    tensor = t(2)
    assert first_tensor({"a": [None, Pair("text", tensor)], "b": t(3)}) is tensor
    assert first_tensor([]) is None


def test_fields_of_a_dataclass_are_looked_at_in_order() -> None:
    assert [field.name for field in fields(Pair)] == ["first", "second"]
    assert batch_size_of(Pair(t(2), t(3))) == 2


# ---- lookahead -------------------------------------------------------------------------------------------


@unhurried
@given(st.lists(st.one_of(st.none(), st.integers()), max_size=6))
def test_lookahead_marks_the_last_batch(batches: list[Any]) -> None:
    """Semantics 4.8."""
    expected = [(batch, index == len(batches) - 1) for index, batch in enumerate(batches)]
    assert list(lookahead(batches)) == list(lookahead(iter(batches))) == expected


def test_lookahead_fetches_one_batch_ahead() -> None:
    fetched = []

    def source() -> Iterator[int]:
        for number in range(4):
            fetched.append(number)
            yield number

    batches = lookahead(source())
    assert fetched == [0], "before what is done until the first is asked for"
    assert next(batches) == (0, False)
    assert fetched == [0, 1]
    next(batches)
    assert fetched == [0, 1, 2]


def test_lookahead_passes_on_the_loaders_error() -> None:
    def source() -> Iterator[int]:
        yield 1
        raise OSError("disk")

    with pytest.raises(OSError, match="disk"):
        list(lookahead(source()))
