"""What hydra's own library composes of configuration files and overrides."""

from __future__ import annotations

import os
import re
import warnings
from collections import ChainMap
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from traceback import walk_tb
from typing import Any

from ...diagnostics import Span
from ..stored.entered import Entered, entered
from ..stored.store import Store
from .held import ChoicesOpen, Configuration, Node, NotHeld, Setting, is_plain, named_spans, not_held

PURE = frozenset("oc.create oc.decode oc.deprecated oc.dict.keys oc.dict.values oc.select".split())
"""Resolvers whose values say nothing of the machine, and run no code of anybody's."""

SEARCH_PATH = "hydra.searchpath"
FOLDER, PACKAGE = "file://", "pkg://"
"""What its places begin with."""

MAX_SETTINGS = 256
"""A longer list of values holds data, not settings."""

PLUGINS = "hydra/"
"""What the groups begin with for which plugins of hydra's have options."""

SWEEPERS, OF_SWEEPERS = "hydra/sweeper", {"optional sampler": "default"}
"""Their group, and the one that some have for themselves."""

OPEN_CHOICE = re.compile(r"You must specify '([^']+)'")
"""What hydra says of a group in the defaults that has `???` for its option."""

INTERPOLATED = re.compile(r"\$\{([^{}]+)\}")

TOP = "cfg"
"""What the names of settings begin with."""


FolderOf = Callable[[str], Path | None]


@dataclass(frozen=True)
class Primary:
    """The configuration that hydra starts from."""

    folder: Path | None  # in which it looks for this one and for those that it is composed of
    name: str  # without its ending, as seen from there; of no folder, one that the code stores; empty: there is none
    added: Path | None = None  # where it looks, too

    @property
    def file(self) -> Path:
        """Where it stands; of no folder, its name."""
        return file_of(self.folder or Path(), self.name)


def composed(
    primary: Primary,
    version_base: str | None,
    overrides: tuple[str, ...],
    top: str = TOP,
    folder_of: FolderOf = lambda package: None,
    store: Store | None = None,
) -> Configuration:
    """What hydra makes of it, with names that begin with `top`; packages are as `folder_of` says. Raises NotHeld.

    One of no folder is in the `store`, to which hydra looks for what there are no files of. Interpolations are
    resolved as hydra does, but for those that ask the machine or code of the user's.
    """
    try:
        import hydra  # noqa: F401
    except ImportError:
        raise NotHeld("hydra is not installed here: `pip install 'ddpgen[hydra]'`") from None
    for folder in filter(None, (primary.folder, primary.added)):
        if not folder.is_dir():
            raise NotHeld(f"there is no folder `{Path(os.path.relpath(folder)).as_posix()}`")
    try:
        with _quiet(), _kept_store():
            stored = entered(store or Store())
            told = _without_packages(primary, stored, overrides, folder_of)
            with _initialized(primary, version_base):
                return _read(primary, told, top, stored)
    except NotHeld:
        raise
    except Exception as error:  # whatever a library says of files that it cannot use
        raise not_held(error) from None


@contextmanager
def _initialized(primary: Primary, version_base: str | None) -> Iterator[None]:
    """Hydra, where it looks into the folders."""
    from hydra import initialize, initialize_config_dir
    from hydra.core.global_hydra import GlobalHydra

    folder = f"{primary.folder}"
    start = partial(initialize_config_dir, folder) if primary.folder else partial(initialize, None)
    with start(version_base=version_base):
        if primary.added:
            loader: Any = GlobalHydra.instance().config_loader()
            loader.get_search_path().prepend("command-line", f"{FOLDER}{primary.added}", "schema")
            loader.repository.initialize_sources(loader.get_search_path())
        yield


def _read(primary: Primary, overrides: tuple[str, ...], top: str, stored: Entered) -> Configuration:
    """What hydra composes, with where it stands. Raises NotHeld, and hydra's own errors."""
    folders = [Path(each.removeprefix(FOLDER)) for each in _search_path(primary, stored, overrides)]
    folders = [*filter(None, (primary.folder, primary.added)), *folders]
    from hydra.errors import HydraException

    try:
        found = _composed(primary.name or None, list(overrides))
    except HydraException:
        with suppress(HydraException):  # the first one says it
            _used(_listed(primary, overrides), stored)
        raise
    listed = _listed(primary, overrides)
    used = _used(listed, stored)
    with _pure_resolvers():
        settings = _settings(found, top)
    files = dict.fromkeys(file for each in used if (file := _found(folders, each.config_path)))
    spans = [_spans(each, folders, top, stored) for each in used]
    chosen = {group: option for group, option in listed.overrides.known_choices.items() if _is_own(group)}
    return Configuration(settings, tuple(files), ChainMap(*reversed(spans)), chosen)


def _is_own(group: str) -> bool:
    return not group.startswith(PLUGINS)


def _listed(primary: Primary, overrides: tuple[str, ...]) -> Any:
    """The list of defaults, with what each group has."""
    from hydra.core.global_hydra import GlobalHydra
    from hydra.types import RunMode

    loader = GlobalHydra.instance().config_loader()
    return loader.compute_defaults_list(primary.name or None, list(overrides), RunMode.RUN)


def _used(listed: Any, stored: Entered) -> list[Any]:
    """The configurations of which it is composed. Raises NotHeld, if one of them is not known."""
    used = [each for each in listed.defaults if each.config_path]
    for each in used:
        if why := stored.why_unread(each.config_path):  # of files hydra takes it for the schema
            raise NotHeld(why)
    return used


def _spans(used: Any, folders: list[Path], top: str, stored: Entered) -> dict[str, Span]:
    """Where the settings of one of them stand."""
    name = ".".join(filter(None, (top, used.package)))
    file = _found(folders, used.config_path)
    return named_spans(file, name) if file else stored.spans(used.config_path, name)


def file_of(folder: Path, name: str) -> Path:
    """The file of a name, which may end as such."""
    return folder / f"{without_ending(name)}.yaml"


def without_ending(name: str) -> str:
    """The name of a file of YAML without what it ends with."""
    return name.removesuffix(".yaml").removesuffix(".yml")


def _found(folders: list[Path], name: str) -> Path | None:
    """The file in the first of the folders that has it."""
    return next((file for folder in folders if (file := file_of(folder, name)).is_file()), None)


def of_omegaconf(file: Path, top: str) -> dict[str, Node]:
    """What OmegaConf reads in a file, its interpolations resolved in the same way. Raises NotHeld."""
    try:
        from omegaconf import OmegaConf
    except ImportError:
        raise NotHeld("OmegaConf is not installed here: `pip install 'ddpgen[hydra]'`") from None
    with _pure_resolvers():
        return _settings(OmegaConf.load(file), top)


def _search_path(primary: Primary, stored: Entered, overrides: tuple[str, ...]) -> Iterator[str]:
    """Where else hydra is told to look for files: by the first one, which alone may say so, or by overrides."""
    from omegaconf import OmegaConf
    from yaml import YAMLError

    for given in (each.partition("=")[2] for each in overrides if SEARCH_PATH in each):
        yield from (each.strip(" '") for each in given.strip("[]").split(","))
    try:
        is_there = primary.folder and primary.file.is_file()
        held = OmegaConf.load(primary.file) if is_there else stored.held(primary.name)
        found = OmegaConf.to_container(held)
    except (OSError, ValueError, YAMLError):
        return  # hydra says it better
    told = found.get("hydra") if isinstance(found, dict) else None
    yield from map(str, (told.get("searchpath") or ()) if isinstance(told, dict) else ())


def _without_packages(
    primary: Primary, stored: Entered, overrides: tuple[str, ...], folder_of: FolderOf
) -> tuple[str, ...]:
    """The overrides, by which hydra looks into the project's packages as folders. Raises NotHeld."""
    told = [*_search_path(primary, stored, overrides)]
    if all(each.startswith(FOLDER) for each in told):
        return overrides
    is_asked = any(SEARCH_PATH in each for each in overrides)
    found = [_folder(each, None if is_asked else folder_of) for each in told]
    quoted = ", ".join(f"'{each}'" for each in found)
    return (*overrides, f"{SEARCH_PATH}=[{quoted}]")


def _folder(place: str, folder_of: FolderOf | None) -> str:
    package = folder_of(place.removeprefix(PACKAGE)) if folder_of and place.startswith(PACKAGE) else None
    if package is None and (not place.startswith(FOLDER) or "$" in place):
        raise NotHeld(f"hydra would import `{place}`, which its search path names, and so run code")
    return f"{FOLDER}{package}" if package else place


def _composed(name: str | None, told: list[str]) -> Any:
    """The configuration. Raises ChoicesOpen, and hydra's own errors."""
    from hydra import compose
    from hydra.errors import ConfigCompositionException, MissingConfigException

    try:
        return compose(name, told)
    except MissingConfigException as error:
        group, _, option = f"{error.missing_cfg_file}".rpartition("/")
        if not group.startswith(PLUGINS) or _has_stored(group, option):
            raise
        _store(group, option)
        own = group.replace("/", ".") + "."
        return _composed(name, [f"++{each}" if each.startswith(own) else each for each in told])
    except ConfigCompositionException as error:
        if choices := _open_choices(name, told, error):
            raise ChoicesOpen(choices) from None
        raise
    except AssertionError as error:
        if groups := _without_option(error):
            raise ChoicesOpen({each: _options(each, name, told) for each in groups}) from None
        raise


def _has_stored(group: str, option: str) -> bool:
    from hydra.core.config_store import ConfigStore
    from hydra.core.object_type import ObjectType

    return ConfigStore.instance().get_type(f"{group}/{option}.yaml") is ObjectType.CONFIG


def _store(group: str, option: str) -> None:
    """Have hydra find an option of its own that holds nothing.

    It is a plugin's that is not installed here, and says how hydra starts jobs or logs, and nothing of the rest.
    """
    from hydra.core.config_store import ConfigStore

    parts = {"defaults": [OF_SWEEPERS]} if group == SWEEPERS else {}
    ConfigStore.instance().store(option, parts, group)


def _open_choices(name: str | None, told: list[str], error: Exception) -> dict[str, tuple[str, ...]]:
    """The groups of which an option must be named, which hydra says one at a time, with their options."""
    from hydra import compose
    from hydra.errors import HydraException

    found: dict[str, tuple[str, ...]] = {}
    while (said := OPEN_CHOICE.match(str(error))) and said[1] not in found:
        found[said[1]] = _options(said[1], name, told)
        firsts = [f"{group}={options[0]}" for group, options in found.items() if options]
        try:
            compose(name, [*told, *firsts])
        except HydraException as another:
            error = another
    return found


def _options(group: str, name: str | None, told: list[str]) -> tuple[str, ...]:
    from hydra.core.global_hydra import GlobalHydra

    loader = GlobalHydra.instance().config_loader()
    return tuple(loader.get_group_options(group, config_name=name, overrides=told))


def _without_option(error: AssertionError) -> list[str]:
    """The groups that have none, where hydra's assertion is of another's that is the same: `model: ${stage}`."""
    *_, (frame, _) = walk_tb(error.__traceback__)
    asked, known = frame.f_locals.get("val"), frame.f_locals.get("known_choices", {})
    return [each for each in INTERPOLATED.findall(f"{asked}") if each in known and known[each] is None]


@contextmanager
def _quiet() -> Iterator[None]:
    """Without what hydra has to say of its versions."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@contextmanager
def _kept_store() -> Iterator[None]:
    """With what hydra finds in its ConfigStore as it was, afterwards."""
    from hydra.core.config_store import ConfigStore
    from hydra.core.plugins import Plugins

    Plugins.instance()  # those that are installed enter what they have
    store = ConfigStore.instance()
    kept = deepcopy(store.repo)
    try:
        yield
    finally:
        store.repo = kept


@contextmanager
def _pure_resolvers() -> Iterator[None]:
    """OmegaConf without the resolvers that ask the machine, or run code."""
    from omegaconf.basecontainer import BaseContainer

    known = BaseContainer._resolvers
    kept = dict(known)
    try:
        for name in kept.keys() - PURE:
            del known[name]
        yield
    finally:
        known.update(kept)


def _settings(config: Any, name: str) -> dict[str, Node]:
    """What a configuration of OmegaConf's holds."""
    return {str(key): _child(config, key, f"{name}.{key}") for key in config}


def _text(config: Any, key: str | int) -> str:
    """A value as it stands."""
    from omegaconf import OmegaConf

    held: Any = OmegaConf.to_container(config)
    return f"{held[key]}"


def _child(config: Any, key: str | int, name: str) -> Node:
    from omegaconf import OmegaConf
    from omegaconf.errors import OmegaConfBaseException

    try:
        value = config[key]
    except OmegaConfBaseException:  # it is missing, or an interpolation that is resolved elsewhere
        return Setting(name, is_known=False, text=_text(config, key))
    if OmegaConf.is_dict(value):
        return _settings(value, name)
    if OmegaConf.is_list(value):
        found = [_child(value, place, f"{name}[{place}]") for place in range(len(value))]
        is_data = len(found) > MAX_SETTINGS and all(isinstance(each, Setting) for each in found)
        texts = " ".join(each.text for each in found if isinstance(each, Setting) and each.text)
        return Setting(name, is_known=False, text=texts) if is_data else found
    return Setting(name, value, is_plain(value))
