"""Scripts from cases, by the compiler in this process: a process for each would take longer than their training."""

from __future__ import annotations

from pathlib import Path

from ddpgen import build

from .cases import Case


def build_script(case: Case, folder: Path) -> Path:
    """Build the case's script into `folder`, unless it stands there."""
    script = folder / f"{case.name}.py"
    if not script.exists():
        text = build(case.source, str(case.spec or "ddp"), case.model, case.data)
        folder.mkdir(exist_ok=True)
        script.write_text(text)
    return script
