"""The settings of Trainers that the user's own main builds: values, and expressions that stay as they stand."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import libcst as cst

from ... import messages
from ...index import patterns as m
from ...ir.project import Project
from ...ir.rewrites import OBJECT, Rewrite, Slot
from ...lightning import api
from ...spec.load import LoadedSpec
from ...spec.trainer_settings import (
    DEFAULTS,
    DROPPED_ARGUMENTS,
    EXPRESSIBLE,
    MAX_EPOCHS,
    TIME,
    TrainerSettings,
    general_values,
    read_trainer_arguments,
    without_idle,
)
from ...values import Dict, External, Instance, Literal, Option, Unknown, Value, is_whole, values_of
from ..callbacks.default_checkpoint import DefaultCheckpoint
from ..code.instances import Instances
from ..code.literals import code_of, is_literal
from ..logging.writers import DEFAULT, makes_default
from ..main.told.configured import configured_literal
from ..validation.epochs_between import EPOCHS_BETWEEN, Between, kind_of, kinds_of
from .arguments import PLUGINS, Argument, Unpacked, arguments, unpacked
from .methods import FitCall, told_to
from .plugins import is_own_saving
from .settings import NO_PLAIN_VALUE, ArgumentReader

TRAINER_OBJECTS = {
    "callbacks": Slot("callbacks", 0, "checkpoints_last"),
    "logger": Slot("loggers", 0, "logger_list"),
}
"""Arguments that are for the script's Trainer, not among the settings; with how they are passed."""


CALLBACKS = {*api.CALLBACKS, *api.IDLE_CALLBACKS, *api.TUNING_CALLBACKS}

NONE_GIVEN = m.Name("True") | m.Name("False") | m.Name("None") | m.List(elements=[])

FOLDER = "default_root_dir"
STRATEGY = "strategy"
_ARE_NUMBERS = ("log_every_n_steps", "num_sanity_val_steps")
NONE_MEANS = {name: str(getattr(DEFAULTS, name)) for name in _ARE_NUMBERS} | {"max_epochs": str(MAX_EPOCHS)}
"""Settings that are numbers in the script's `Config`, and which numbers stand for None."""

INTERVAL = "val_check_interval"
LIMIT = "limit_train_batches"

APART = (*TRAINER_OBJECTS, FOLDER)
"""Arguments that a mapping is asked for beside its settings."""

OWN_FOLDER = "{Config}.out"
"""The script's, where the code names none."""


@dataclass(frozen=True)
class OwnSettings:
    """What the Trainers of a main are told."""

    settings: TrainerSettings
    expressions: frozenset[str]  # settings that are known only when the script runs


class SettingsReader(ArgumentReader):
    """Reads the arguments of every Trainer."""

    def read(
        self, trainers: tuple[cst.Call, ...], fits: tuple[FitCall, ...], set_later: Collection[str]
    ) -> OwnSettings:
        """The settings that hold for all of the Trainers, of which the `fits` train.

        Those that are `set_later` are known only when the script runs, whatever a Trainer is told.
        """
        told = [(call, self._told(call)) for call in trainers]
        known, expressions = dict[str, Any](), {*set_later}
        for name in dict.fromkeys(name for _, values in told for name in values if name not in set_later):
            found = [(call, values.get(name, getattr(_DEFAULTS, name))) for call, values in told]
            if any(_kind(value) != _kind(found[0][1]) for _, value in found):
                expressions.add(name)
                self._check_expressible(name, found)
            elif isinstance(found[0][1], _Unknown):
                expressions.add(name)
            else:
                known[name] = found[0][1]
        trains = told_to(self.project, fits)
        between = _between(values for call, values in told if call in trains or None in trains)
        if EPOCHS_BETWEEN in expressions and between == {Between.NONE}:
            expressions.remove(EPOCHS_BETWEEN)
            known[EPOCHS_BETWEEN] = None
        general = general_values(known, expressions)
        limits = {values.get(LIMIT) for call, values in told if call in trains}
        if limits == {_WHOLE} and None not in trains and LIMIT not in set_later:
            general[LIMIT] = 1
        intervals = [values.get(INTERVAL) for _, values in told]
        if INTERVAL in expressions and all(map(_is_time, intervals)):
            general[INTERVAL] = TIME
        elif INTERVAL in expressions and all(map(_is_count, intervals)):
            general[INTERVAL] = 2
        settings = TrainerSettings.model_validate({**known, **general})
        settings = settings.overridden_by(self.spec.spec.trainer)
        if settings.validates_by_time and "fast_dev_run" in expressions:
            self.problems.append(messages.trial_and_time((self.project.source, trainers[0])))
        return OwnSettings(settings, frozenset(expressions))

    def _told(self, call: cst.Call) -> dict[str, Any]:
        """What a Trainer is told; of epochs between validations, all that they may be."""
        found = dict[str, Any]()
        arguments = ((each, self._place_of(each, call)) for each in self._arguments(call))
        for name, value in (pair for each in arguments for pair in self._setting(*each)):
            before = found.get(name)
            are_both = isinstance(value, _Between) and isinstance(before, _Between)
            found[name] = _Between(before.kinds | value.kinds) if are_both else value  # type: ignore[union-attr]  # both
        return found

    def _check_expressible(self, name: str, found: list[tuple[cst.Call, Any]]) -> None:
        """A setting that is not the same for all Trainers has to be one that may be known later."""
        if name == INTERVAL and len({_is_time(value) for _, value in found}) > 1:
            call = next(call for call, value in found if _is_time(value))
            self.problems.append(messages.interval_of_two_kinds((self.project.source, call)))
        if name not in EXPRESSIBLE:
            call = next(call for call, value in found if _kind(value) != _kind(found[0][1]))
            self.problems.append(messages.trainers_differ((self.project.source, call), name))

    def _arguments(self, call: cst.Call) -> tuple[Argument, ...]:
        nameless = [each for each in call.args if each.keyword is None and each.star != "**"]
        at = [(self.project.source, each) for each in nameless]
        self.problems += map(messages.trainer_argument_by_place, at)
        found = arguments(self.project, call, self.spec.spec.trainer_keys)
        kept = without_idle({each.name: self.value(each.name, each.value) for each in found if each.is_sure})
        return tuple(each for each in found if not each.is_sure or each.name in kept)

    def _place_of(self, argument: Argument, call: cst.Call) -> cst.Arg:
        """Where it stands; what is computed for a mapping, where that is given."""
        return argument.node if self.project.source.has_place(argument.node) else call.args[argument.place]

    def _setting(self, argument: Argument, place: cst.Arg) -> Iterator[tuple[str, Any]]:
        at, name = (self.project.source, place), argument.name
        if self.is_set(name) or name in TRAINER_OBJECTS:
            return
        value = self.value(name, argument.value)
        is_plain = argument.is_sure and value is not NO_PLAIN_VALUE
        is_idle = name not in EXPRESSIBLE and _is_default(name, value)
        if is_plain or is_idle or name not in TrainerSettings.model_fields or name in DROPPED_ARGUMENTS:
            read = self.sorted_out({name: argument.node}, {name: place})
            yield from ((each, getattr(read.settings, each)) for each in read.settings.model_fields_set)
        elif name in EXPRESSIBLE:
            are_times = self._are_times(argument.value) if name == INTERVAL else {False}
            if len(are_times) > 1:
                self.problems.append(messages.interval_of_two_kinds(at))
            is_whole = self._is_count(argument)
            known = _TIME if are_times == {True} else _WHOLE if is_whole else _UNKNOWN
            is_between = name == EPOCHS_BETWEEN
            yield name, _Between(frozenset(kinds_of(self.project, argument))) if is_between else known
        else:
            self.problems.append(messages.trainer_argument_not_literal(at, name))

    def _is_count(self, argument: Argument) -> bool:
        """Whether a setting is a number of batches: surely, or as built, where the script asks for no share of them."""
        if argument.name == INTERVAL:
            held = (*argument.held, *values_of(self.project).of(argument.value))
            return any(_is_whole(self.project, value) for value in held)
        return argument.name == LIMIT and argument.is_sure and self._is_whole(argument.value)

    def _is_whole(self, node: cst.BaseExpression) -> bool:
        """Whether an expression is a whole number, whatever it will be: batches, and no share of them."""
        found = values_of(self.project).of(node)
        return bool(found) and all(_is_whole(self.project, value) for value in found)

    def _are_times(self, node: cst.BaseExpression) -> set[bool]:
        """Whether each value of an expression is a time, in one of the forms that Lightning takes."""
        return {_is_duration(value) for value in values_of(self.project).of(node)}


def checkpoints_last(project: Project, value: cst.List) -> list[int]:
    """The order in which callbacks that save are the last of a list; empty: that cannot be read."""
    saving = [_saves(project, element.value) for element in value.elements]
    return [] if None in saving else sorted(range(len(saving)), key=lambda place: bool(saving[place]))


def _may_move(project: Project, value: cst.List, order: list[int]) -> bool:
    """Whether another order changes but the place of variables that keep their value, in a list without comments."""
    later = [place for new, place in enumerate(order) if place < new]
    moved = [value.elements[place].value for place in later]
    are_kept = all(isinstance(each, cst.Name) and len(project.index.bindings(each)) == 1 for each in moved)
    return bool(order) and are_kept and "#" not in code_of(value)


def _saves(project: Project, node: cst.BaseExpression) -> bool | None:
    """Whether an expression is a callback that saves; None: that cannot be read."""
    kinds = list(_kinds(project, node))
    found = {bool(each & {"Checkpoint", "ModelCheckpoint"}) for each in kinds}
    return found.pop() if len(found) == 1 and all(each & CALLBACKS for each in kinds) else None


def _kinds(project: Project, node: cst.BaseExpression) -> Iterator[set[str]]:
    """The names in Lightning's API of each class that an expression may be an instance of."""
    return map(Instances(project).lightning_names, values_of(project).of(node))


def _is_default(name: str, value: Any) -> bool:
    """Whether a setting is what it is without the argument, so that it does not matter if that is given."""
    read = read_trainer_arguments({name: value})
    is_alone = read.settings.model_fields_set == {name}
    return is_alone and bool(getattr(read.settings, name) == getattr(_DEFAULTS, name))


class _Unknown:
    """Stands for a value that is known only when the script runs."""


@dataclass(frozen=True)
class _Between(_Unknown):
    """The same, of epochs between validations."""

    kinds: frozenset[Between]


def _between(told: Iterable[Mapping[str, Any]]) -> set[Between]:
    """What the epochs between validations may be for Trainers."""
    values = [each.get(EPOCHS_BETWEEN, 1) for each in told]
    known = {kind_of(each) for each in values if not isinstance(each, _Unknown)}
    return known.union(*(each.kinds for each in values if isinstance(each, _Between)))


_UNKNOWN, _TIME, _WHOLE = _Unknown(), _Unknown(), _Unknown()
_DEFAULTS = TrainerSettings()


def _is_time(value: Any) -> bool:
    """Whether a setting is a time, known when building or not."""
    return value is _TIME or isinstance(value, str)


def _is_count(value: Any) -> bool:
    """Whether a setting is a number of batches, known when building or not."""
    return value is _WHOLE or type(value) is int


def _is_whole(project: Project, value: Value) -> bool:
    if isinstance(value, Option):
        return is_whole(project.index, value)
    return isinstance(value, Literal) and type(value.value) is int


def _is_duration(value: Value) -> bool:
    if isinstance(value, Literal):
        return isinstance(value.value, str)
    if isinstance(value, Dict):  # one that begins empty is a section of a configuration
        return not m.matches(value.node, m.Dict(elements=[]))
    made = value.cls if isinstance(value, Instance) else None
    return isinstance(made, External) and made.name == "datetime.timedelta"


def _kind(value: Any) -> tuple[type, Any]:
    """A value and its type: one batch is not all of them, and yet 1 equals 1.0."""
    return type(value), value


def trainer_rewrite(
    project: Project,
    call: cst.Call,
    fields: frozenset[str],
    spec: LoadedSpec,
    trainer_fields: frozenset[str],
    has_default: bool,
    maker: str,
    is_remote: bool,
    checkpoint: DefaultCheckpoint,
) -> Rewrite:
    """`Trainer(...)` as the script's `Config(...)`, with the arguments that are among its fields.

    `has_default` says whether a Trainer that is given no logger makes one; the `maker` makes a trainer of it;
    `is_remote`, whether its folder may be a URL; the `checkpoint`, whether it gets Lightning's.
    """
    set_there = spec.spec.trainer.model_fields_set | (
        {"default_root_dir"} if spec.is_given("checkpoint.dir") else set()
    )
    of_spec = set_there | ({STRATEGY} if spec.is_given(f"trainer.{STRATEGY}") else set())
    expected = spec.spec.trainer_keys
    given = dict[str, Argument]()
    for each in arguments(project, call, expected):
        is_told = each.name in given and m.matches(each.value, NONE_GIVEN)  # and not there in other cases
        given |= {} if each.name in set_there or is_told else {each.name: each}
    mappings = [*unpacked(project, call, expected)]
    slots = [
        slot
        for mapping in mappings
        for slot in _of_mapping(project, mapping, fields - set_there, of_spec, given, is_remote)
    ]
    by_name = [each for each in given.values() if not each.in_mapping]
    slots += filter(None, (_setting(project, each, fields, is_remote) for each in by_name))
    slots += [] if spec.is_given("trainer.strategy") else _checked_strategies(project, by_name)
    slots += [] if EPOCHS_BETWEEN in fields else _checked_epochs(project, by_name)
    slots.sort(key=lambda slot: slot.place)  # in the order in which they are made
    beside = with_saving(tuple(_objects(project, given, trainer_fields, has_default)), call, checkpoint)
    named = tuple(_named(project, mappings, (*slots, *beside)))
    return Rewrite(call, "Config", tuple(slots), maker if trainer_fields else None, beside, named)


def _named(
    project: Project, mappings: Iterable[Unpacked], slots: Collection[Slot]
) -> Iterator[tuple[int, str]]:
    """The mappings that the slots ask for more than once, where they may not be made anew, with new names."""
    places = [each.place for slot in slots for each in (slot, *slot.beside)]
    for mapping in mappings:
        if places.count(mapping.place) > 1 and not mapping.may_be_asked_twice:
            name = f"trainer_settings{mapping.place or ''}"
            while re.search(rf"\b{name}\b", project.source.text):
                name += "_"
            yield mapping.place, name


def _setting(project: Project, argument: Argument, fields: frozenset[str], is_remote: bool) -> Slot | None:
    if argument.name == FOLDER:
        made = None if is_remote else "Path"
        return _with_own_folder(project, argument, Slot("out", argument.place, made))
    is_none = m.matches(argument.value, m.Name("None"))
    code = NONE_MEANS.get(argument.name) if is_none else None
    return Slot(argument.name, argument.place, code=code) if argument.name in fields else None


def _checked_strategies(project: Project, given: Iterable[Argument]) -> Iterator[Slot]:
    """The strategy that a configuration names: the script is for that one."""
    for each in given:
        known = configured_literal(project, each.value) if each.name == STRATEGY else None
        if known is not None:
            told = ((STRATEGY, repr(known.value)),)
            yield Slot(None, each.place, "configured_settings", as_key=STRATEGY, keywords=told, star="**")


def _checked_epochs(project: Project, given: Iterable[Argument]) -> Iterator[Slot]:
    """What a configuration says of the epochs between validations where the script is for None."""
    for each in given:
        known = configured_literal(project, each.value) if each.name == EPOCHS_BETWEEN else None
        if known is not None and known.value is None and not is_literal(each.value):
            told = ((EPOCHS_BETWEEN, "None"),)
            yield Slot(
                None, each.place, "configured_settings", as_key=EPOCHS_BETWEEN, keywords=told, star="**"
            )


def _with_own_folder(project: Project, argument: Argument, slot: Slot) -> Slot:
    """The slot of a folder, and the script's own where the argument may name none."""
    may_lack = not argument.is_sure or _may_be_none(project, argument.value)
    return _placed(replace(slot, fallback=OWN_FOLDER if may_lack else ""), argument)


def _may_be_none(project: Project, value: cst.BaseExpression) -> bool:
    found = values_of(project).of(value)
    return any(
        isinstance(each, Option | Unknown) or (isinstance(each, Literal) and not each.value) for each in found
    )


def _of_mapping(
    project: Project,
    mapping: Unpacked,
    fields: frozenset[str],
    of_spec: Collection[str],
    given: Mapping[str, Argument],
    is_remote: bool,
) -> Iterator[Slot]:
    """The settings that are taken from a mapping, whatever it says of those `of_spec`."""
    held = tuple(dict.fromkeys(each.name for each in mapping.entries))
    names = tuple(name for name in held if name in fields)
    if mapping.is_configured:
        # of those that are no fields no value would change anything
        is_none = EPOCHS_BETWEEN not in fields and Between.NONE in _between_in(project, mapping)
        open_names = {*EXPRESSIBLE} - ({EPOCHS_BETWEEN} if is_none else set())
        others = tuple(name for name in held if name in {*APART, *open_names} - fields)
        # an entry for each place that one is given at, all with the same
        known = tuple(dict(_known_when_built(mapping, names)).items())
        known += ((EPOCHS_BETWEEN, "None"),) if is_none else ()
        yield Slot(
            None,
            mapping.place,
            "configured_settings",
            names=names,
            ignored=others,
            keywords=known,
            star="**",
        )
    elif mapping.is_open:
        others = (*held, *sorted(of_spec))
        ignored = tuple(dict.fromkeys(name for name in others if name not in fields))
        yield Slot(None, mapping.place, "checked_settings", names=names, ignored=ignored, star="**")
    elif names:
        yield Slot(None, mapping.place, "settings_in", names=names, star="**")
    if FOLDER in given and given[FOLDER].place == mapping.place:
        yield from filter(None, [_setting(project, given[FOLDER], fields, is_remote)])


def _between_in(project: Project, mapping: Unpacked) -> set[Between]:
    """What a mapping may say of the epochs between validations."""
    given = (each for each in mapping.entries if each.name == EPOCHS_BETWEEN)
    return {kind for each in given for kind in kinds_of(project, each)}


def _known_when_built(mapping: Unpacked, names: Collection[str]) -> Iterator[tuple[str, str]]:
    """What a configuration says of other settings, as far as it matters: the script is for these values."""
    for entry in mapping.entries:
        is_name = m.matches(entry.value, m.SimpleString())
        is_dropped = entry.name in DROPPED_ARGUMENTS and not (entry.name == STRATEGY and is_name)
        if entry.is_sure and not is_dropped and entry.name not in (*names, *APART, *EXPRESSIBLE):
            yield entry.name, _as_made(entry)


def _as_made(entry: Argument) -> str:
    """What a setting is as the script makes it, which has nothing in the place of plugins."""
    is_listed = entry.name == PLUGINS and isinstance(entry.value, cst.List)
    return f"[{', '.join('None' for _ in entry.value.elements)}]" if is_listed else code_of(entry.value)  # type: ignore[attr-defined]  # a List


def _placed(slot: Slot, argument: Argument) -> Slot:
    """The slot with the place of an argument's value."""
    key = argument.name if argument.in_mapping else None
    return replace(slot, place=argument.place, key=key, may_lack=not argument.is_sure)


def object_slot(project: Project, argument: Argument) -> Slot:
    """How an argument that is no setting is passed: as a list, its callbacks that save at its end."""
    name, value = argument.name, argument.value
    slot = _placed(TRAINER_OBJECTS[name], argument)
    if not argument.is_sure:
        return slot
    if isinstance(value, cst.List) and not argument.in_mapping:  # else code may add to it
        order = [] if name == "logger" else checkpoints_last(project, value)
        if name == "logger" or order == [*range(len(value.elements))]:
            return replace(slot, wrapper=None)
        may_move = _may_move(project, value, order)
        return replace(slot, wrapper=None, order=tuple(order)) if may_move else slot
    kinds = list(_kinds(project, value))
    is_one = bool(kinds) and all(each & {*CALLBACKS, *api.LOGGERS} for each in kinds)
    return replace(slot, wrapper=None, listed=True) if is_one else slot


CHECKPOINT = "{ModelCheckpoint}()"
IN_FILES = "{TorchCheckpointIO}()"
CHECKPOINT_IO = "checkpoint_io"


def with_saving(slots: tuple[Slot, ...], trainer: cst.Call, given: DefaultCheckpoint) -> tuple[Slot, ...]:
    """What a Trainer is given, with a ModelCheckpoint where it has none and gets Lightning's."""
    if trainer not in given.lacking | given.doubtful:
        return slots
    switches = tuple(_placed(Slot(None, 0), each) for each in given.switches.get(trainer, ()))
    is_there = any(each.keyword == "callbacks" for each in slots)
    first = () if is_there else (_only_saving(switches),)
    is_sure = trainer in given.lacking
    among = (_saving(each, is_sure, switches) if each.keyword == "callbacks" else each for each in slots)
    return (*first, *among)


def _only_saving(switches: tuple[Slot, ...]) -> Slot:
    """The callbacks of a Trainer that is given none."""
    if switches:
        return Slot("callbacks", OBJECT, "with_checkpoint_if", code="None", beside=switches)
    return Slot("callbacks", OBJECT, code=f"[{CHECKPOINT}]")


def _saving(slot: Slot, is_sure: bool, switches: tuple[Slot, ...]) -> Slot:
    if slot.wrapper is None and is_sure:
        return replace(slot, added=CHECKPOINT)
    return replace(slot, wrapper="with_checkpoint_if" if switches else "with_checkpoint", beside=switches)


def _objects(
    project: Project,
    given: Mapping[str, Argument],
    trainer_fields: frozenset[str],
    has_default: bool,
) -> Iterator[Slot]:
    """What the script's Trainer is given beside, the logger that it makes by default last."""
    folder = _folder_of_loggers(project, given.get(FOLDER))
    for name, argument in given.items():
        if name in TRAINER_OBJECTS and TRAINER_OBJECTS[name].keyword in trainer_fields:
            may_make = has_default and name == "logger" and _may_make_logger(project, argument)
            has_default = has_default and (name != "logger" or m.matches(argument.value, DEFAULT))
            if not m.matches(argument.value, NONE_GIVEN):
                slot = object_slot(project, argument)
                if slot.wrapper == "logger_list" and not project.source.is_code(argument.value):
                    slot = replace(slot, wrapper="configured_loggers")
                yield replace(slot, wrapper="loggers_or_default", beside=(folder,)) if may_make else slot
    if has_default:
        yield replace(folder, keyword="loggers", wrapper="default_loggers")
    if CHECKPOINT_IO in trainer_fields:
        yield _checkpoint_io(project, given.get(PLUGINS))


def _checkpoint_io(project: Project, plugins: Argument | None) -> Slot:
    """What writes and reads the checkpoints of a Trainer."""
    if plugins is None or m.matches(plugins.value, m.Name("None")):
        return Slot(CHECKPOINT_IO, OBJECT, code=IN_FILES)
    held = [*(plugins.held or values_of(project).of(plugins.value))]
    is_one = bool(held) and all(is_own_saving(Instances(project), each) for each in held)
    return _placed(Slot(CHECKPOINT_IO, 0, None if is_one else "checkpoint_io_among"), plugins)


def _may_make_logger(project: Project, argument: Argument) -> bool:
    return not argument.is_there or makes_default(project, argument.value)


def _folder_of_loggers(project: Project, folder: Argument | None) -> Slot:
    """Where a Trainer makes the logger that it is not given."""
    if folder is None:
        return Slot(None, OBJECT, code=OWN_FOLDER)
    return _with_own_folder(project, folder, Slot(None, folder.place))
