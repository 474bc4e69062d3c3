"""Trainings are struck by faults, and what they leave is compared: `python tests/inject_faults.py [--case NAME]`.

The table of faults stands in `faults/faults.py`. A case is named `fault/script-ranks/when`; the beginning of a name, up
to a slash, names several.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

from faults.cases import Cases
from faults.playing import played
from faults.report import Report
from faults.table import update


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--seed", type=int, default=time.time_ns() % 10_000, help="of what is drawn by chance"
    )
    parser.add_argument("--case", action="append", help="only those whose names begin so; may be given again")
    parser.add_argument("--few", type=int, help="no more cases of each fault and script")
    parser.add_argument("--jobs", type=int, default=2, help="cases that are played at once")
    parser.add_argument("--update", action="store_true", help="write the README's table, and nothing else")
    options = parser.parse_args()
    if options.update:
        update()
        return 0
    report = Report(options.seed)
    with tempfile.TemporaryDirectory(prefix="faults-") as name:
        cases = Cases(Path(name), options.seed, options.case or [""], options.few).all()
        for case, result in played(cases, Path(name), options.jobs):
            report.add(case, result)
    return report.end()


if __name__ == "__main__":
    sys.exit(main())
