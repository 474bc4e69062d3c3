"""A script and the module beside it as one text: edits, merges and records take the two for one."""

from __future__ import annotations

import re
from pathlib import Path

BESIDE = "#@@ in the file beside it\n"
"""The line between the two; neither file holds it."""

_BESIDE = re.compile(f"^{BESIDE}", re.M)


def joined(texts: list[str]) -> str:
    """The script's text, and the module's if there is one, as one."""
    *above, last = texts
    return BESIDE.join([*(text if text.endswith("\n") else f"{text}\n" for text in above), last])


def separate(text: str) -> list[str]:
    """The script's text, and the module's if there is one."""
    return _BESIDE.split(text, maxsplit=1)


def module_name(script: Path) -> str:
    """What the script calls the module of its machinery, where that stands beside it."""
    name = re.sub(r"\W", "_", script.stem)
    return f"{name if name.isidentifier() else f'_{name}'}_runtime"


def module_path(script: Path) -> Path:
    """Where that module stands."""
    return script.with_name(f"{module_name(script)}.py")


def files_of(script: Path, text: str) -> list[tuple[Path, str]]:
    """Each file with its text."""
    return list(zip((script, module_path(script)), separate(text), strict=False))


def file_and_line(script: Path, text: str, line: int) -> tuple[Path, int]:
    """Where a line of the whole stands, from 1."""
    above = separate(text)[0].count("\n") + 1  # the line between the two included
    in_script = len(separate(text)) == 1 or line <= above
    return (script, line) if in_script else (module_path(script), line - above)
