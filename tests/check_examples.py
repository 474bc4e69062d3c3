"""Check that the scripts in generated_examples are what a fresh build gives; --update builds them."""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
EXAMPLES = ROOT / "generated_examples"
ENTRIES = ("model.py", "train.py", "src/train.py", "main.py")


def ddpgen(*arguments: str, folder: Path = ROOT) -> int:
    """Run a command of ddpgen's."""
    return subprocess.run([sys.executable, "-m", "ddpgen", *arguments], cwd=folder).returncode


def entry_of(spec: Path) -> Path:
    """The file that an example's script is built from."""
    return next(path for name in ENTRIES if (path := spec.parent / name).exists())


def build_all() -> int:
    """Build every example's script, from inside its folder."""
    codes = []
    for spec in sorted(EXAMPLES.glob("*/*.yaml")):
        entry = entry_of(spec).relative_to(spec.parent).as_posix()
        codes.append(ddpgen("build", entry, "--strategy", spec.name, "--force", folder=spec.parent))
    return max(codes)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--update", action="store_true", help="build the scripts anew")
    if parser.parse_args().update:
        return build_all()
    return ddpgen("check", "--rebuild", EXAMPLES.name)


if __name__ == "__main__":
    sys.exit(main())
