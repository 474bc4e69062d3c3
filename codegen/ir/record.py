"""What was last generated for a script, kept beside it in `.ddpgen`: the text, and what it was made from."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from ..source.text_file import read_text
from .recipe import Recipe, Settings, text_of

BEGIN = "---\n"
Loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)  # for which every value is text

NOTE = "# What ddpgen last generated for the script of this name. It lets edits survive: commit it, do not edit it.\n"


@dataclass(frozen=True)
class Record:
    """The last generated text, and the inputs that gave it."""

    text: str
    recipe: Recipe | None  # None: damaged
    version: str = ""
    style: str = ""  # black's version and settings
    sources: Mapping[str, str] = field(
        default_factory=dict
    )  # digests, by paths as seen from the script's folder
    is_intact: bool = True  # as it was written

    @property
    def inputs(self) -> dict[str, Any]:
        """All that the text depends on."""
        return {
            "ddpgen": self.version,
            "black": self.style,
            **(self.recipe.to_settings() if self.recipe else {}),
            "sources": dict(sorted(self.sources.items())),
        }

    def to_text(self) -> str:
        """The record as a file, without anything that changes where nothing has."""
        settings = {**self.inputs, "text": digest(self.text.encode("utf-8", "surrogateescape"))}
        head = yaml.safe_dump(settings, sort_keys=False, allow_unicode=True, width=1000)
        return NOTE + head + BEGIN + self.text


def digest(data: bytes) -> str:
    """A short name for the content, the same with any line ends."""
    return hashlib.sha256(data.replace(b"\r\n", b"\n")).hexdigest()[:16]


def record_path(script: Path) -> Path:
    """Where the record of a script stands."""
    return script.parent / ".ddpgen" / f"{script.name}.txt"


def next_path(script: Path) -> Path:
    """Where the record stands that is to replace it, until the script has been written."""
    return script.parent / ".ddpgen" / f"{script.name}.txt.next"


def earlier_path(script: Path) -> Path:
    """Where the record stands that it has replaced, while conflicts stand in the script: it may be taken back."""
    return script.parent / ".ddpgen" / f"{script.name}.txt.earlier"


def read_record(script: Path, path: Path) -> Record | None:
    """The record at `path`; None: there is none that holds a text."""
    try:
        head, begin, text = read_text(path).partition("\n" + BEGIN)
    except OSError:
        return None
    if not begin:
        return None
    try:
        return _record(script, text, _settings(head))
    except (yaml.YAMLError, KeyError, TypeError, ValueError):
        return Record(text, None, is_intact=False)


def _settings(head: str) -> Settings:
    """What the head says, in which nothing stands deeper than in a mapping or a list. Raises YAMLError, ValueError."""
    depth = 0
    for event in yaml.parse(head, Loader):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if isinstance(event, yaml.AliasEvent) or depth > 2:
            raise ValueError("no record stands for one thing by another, or nests more")
    settings = yaml.load(head, Loader)
    if not isinstance(settings, dict):
        raise ValueError("no mapping")
    return settings


def _record(script: Path, text: str, settings: Settings) -> Record:
    version, black, text_digest = (text_of(settings[name]) for name in ("ddpgen", "black", "text"))
    sources = settings["sources"]
    if not isinstance(sources, dict):
        raise TypeError("no mapping")
    return Record(
        text,
        Recipe.from_settings(script, settings),
        version,
        black,
        {text_of(path): text_of(content) for path, content in sources.items()},
        text_digest == digest(text.encode("utf-8", "surrogateescape")),
    )
