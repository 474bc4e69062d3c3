"""Compare the scripts in generated_examples with what a fresh build gives; --update rewrites them."""

from __future__ import annotations

import argparse
import difflib
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
EXAMPLES = ROOT / "generated_examples"
ENTRIES = ("model.py", "train.py", "src/train.py", "main.py")


def fresh_builds(workplace: Path) -> Iterator[tuple[Path, str]]:
    """Each example's script, as a path in generated_examples, and what a build in a copy of it gives."""
    # pyproject.toml goes along, because scripts are formatted as their project asks
    shutil.copy(ROOT / "pyproject.toml", workplace)
    copy = workplace / EXAMPLES.name
    shutil.copytree(EXAMPLES, copy, ignore=shutil.ignore_patterns("train_*.py", "runs", "__pycache__"))
    for spec in sorted(copy.glob("*/*.yaml")):
        entry = next(path for name in ENTRIES if (path := spec.parent / name).exists())
        command = [sys.executable, "-m", "ddpgen", "build", str(entry.relative_to(spec.parent))]
        command += ["--strategy", spec.name]
        subprocess.run(command, cwd=spec.parent, check=True, capture_output=True)
        script = entry.with_name(f"train_{spec.stem}.py")
        yield script.relative_to(copy), script.read_text("utf-8")


def difference(script: Path, fresh: str) -> str:
    path = EXAMPLES / script
    stands = path.read_text("utf-8") if path.exists() else ""
    lines = difflib.unified_diff(
        stands.splitlines(keepends=True),
        fresh.splitlines(keepends=True),
        f"{script}",
        f"{script} (fresh build)",
    )
    return "".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--update", action="store_true", help="write the fresh builds into generated_examples"
    )
    update = parser.parse_args().update
    stale = 0
    with tempfile.TemporaryDirectory() as workplace:
        for script, fresh in fresh_builds(Path(workplace)):
            if changed := difference(script, fresh):
                stale += 1
                print(changed, end="")
                if update:
                    (EXAMPLES / script).write_text(fresh, "utf-8")
    if stale and not update:
        print(f"{stale} scripts are not what a fresh build gives: run `make examples`.", file=sys.stderr)
    return 1 if stale and not update else 0


if __name__ == "__main__":
    sys.exit(main())
