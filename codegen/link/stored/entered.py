"""What the code stores, in hydra's own ConfigStore."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ...diagnostics import Span
from ..configuration.held import NotHeld
from .store import Store, Stored


@dataclass(frozen=True)
class Entered:
    """What is there, by its path."""

    store: Store
    stored: Mapping[str, Stored] = field(default_factory=dict)

    def why_unread(self, path: str) -> str | None:
        """Why what hydra takes of it is not known."""
        found = self.stored.get(path.removesuffix(".yaml"))
        if found is None or not found.unread:
            return None
        place = f"`{found.path}`, which `{shown(found.place)}` stores in hydra's ConfigStore"
        return f"{place}, is not read: {found.unread}. Write it as a file."

    def held(self, path: str) -> Any:
        """A configuration of OmegaConf's; None: there is none."""
        from hydra.core.config_store import ConfigStore

        return ConfigStore.instance().load(f"{path}.yaml").node if path in self.stored else None

    def spans(self, path: str, top: str) -> dict[str, Span]:
        """Where its settings stand, by their names, which begin with `top`."""
        found = self.stored.get(path.removesuffix(".yaml"))
        return dict(self._spans(self.held(found.path), top, found.place)) if found else {}

    def _spans(self, config: Any, top: str, place: Span) -> Iterator[tuple[str, Span]]:
        from omegaconf import OmegaConf

        classes, type_ = self.store.classes, OmegaConf.get_type(config)
        places = classes.places.get(type_, {}) if classes and type_ else {}
        for key in config.keys() if OmegaConf.is_dict(config) else ():
            name, at = f"{top}.{key}", places.get(str(key), place)
            yield name, at
            if not OmegaConf.is_missing(config, key) and not OmegaConf.is_interpolation(config, key):
                yield from self._spans(config[key], name, at)


def entered(store: Store) -> Entered:
    """Enters it; what is not known, as if it were empty. Raises NotHeld."""
    if store.nameless:
        raise NotHeld(
            f"under which names `{shown(store.nameless[0])}` stores in hydra's ConfigStore is not known"
        )
    return Entered(store, {each.path: _entered(each) for each in store.stored})


def _entered(stored: Stored) -> Stored:
    from hydra.core.config_store import ConfigStore

    def enter(node: Any) -> None:
        ConfigStore.instance().store(stored.name, node, stored.group, stored.package, stored.provider)

    try:
        enter({} if stored.unread else stored.node)
        return stored
    except Exception as error:  # whatever OmegaConf says of it, or makers of defaults
        enter({})
        return replace(stored, unread=str(error).partition("\n")[0])


def shown(place: Span) -> str:
    return f"{os.path.relpath(place.path)}:{place.line}"
