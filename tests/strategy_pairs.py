"""What of the spec goes together, pair by pair: the README's table, which `--update` writes."""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml
from ddpgen.compile import analyzed, linked
from ddpgen.diagnostics import CompileError
from ddpgen.ir.project import Project
from ddpgen.spec.load import LoadedSpec, parse_spec

TESTS = Path(__file__).parent
README = TESTS.parent / "README.md"
MODEL = TESTS / "strategy_matrix" / "model.py"
MARKS = "<!-- pairs: python tests/strategy_pairs.py --update -->\n", "<!-- end of pairs -->\n"

Spec = Mapping[str, Any]

SCALED = {"class_path": "MixedPrecision", "init_args": {"precision": "16-mixed", "device": "cpu"}}

OPTIONS: dict[str, Spec] = {
    "`strategy: single`": {"strategy": "single"},
    "`strategy: fsdp`": {"strategy": "fsdp", "fsdp": {"wrap": ["Block"]}},
    "`fsdp: {cpu_offload: true}`": {"strategy": "fsdp", "fsdp": {"cpu_offload": True}},
    "`strategy: model_parallel`": {"strategy": "model_parallel", "model": "Shared"},
    "`optimizer: {zero: true}`": {"optimizer": {"zero": True}},
    "`ddp: {local_sgd: ...}`": {"ddp": {"local_sgd": {"period": 2, "start_localSGD_iter": 2}}},
    "`ddp: {join: true}`": {"ddp": {"join": True}},
    "`ddp: {comm_hook: ...}`": {"ddp": {"comm_hook": "bf16"}},
    "`ddp: {wrapper: ...}`": {"ddp": {"wrapper": "wrapping.Wrapped"}},
    "`ddp: {static_graph: true}`": {"ddp": {"static_graph": True}},
    "`ddp: {find_unused_parameters: true}`": {"ddp": {"find_unused_parameters": True}},
    "`sync: multi_auto_sync`": {"sync": "multi_auto_sync"},
    "`sync: forced_sync`": {"sync": "forced_sync"},
    "`microbatch: 2`": {"microbatch": 2},
    "`microbatch: auto`": {"microbatch": "auto"},
    "`layer_sync: batchnorm`": {"layer_sync": "batchnorm"},
    "`loss: sum`": {"loss": "sum"},
    "`data_parallel_group: 2`": {"data_parallel_group": 2},
    "`checkpoint: {state: sharded}`": {"strategy": "fsdp", "checkpoint": {"state": "sharded"}},
    "`checkpoint: {dir: s3://...}`": {"checkpoint": {"dir": "s3://bucket/runs"}},
    "`compile: step`": {"compile": "step"},
    "`accumulate_grad_batches: 2`": {"trainer": {"accumulate_grad_batches": 2}},
    "`precision: bf16-mixed`": {"trainer": {"precision": "bf16-mixed"}},
    "`precision: bf16-true`": {"trainer": {"precision": "bf16-true"}},
    "`precision: 16-mixed`": {"trainer": {"plugins": SCALED}},
    "clipping by value": {"trainer": {"gradient_clip_val": 0.1, "gradient_clip_algorithm": "value"}},
    "manual optimization": {"model": "Manual"},
    "LBFGS": {"model": "WholeAtOnce"},
}


def merged(*specs: Spec) -> dict[str, Any] | None:
    """The specs as one; None: they say two things of one setting."""
    whole: dict[str, Any] = {}
    for name, value in ((name, value) for spec in specs for name, value in spec.items()):
        if name not in whole or whole[name] == value:
            whole[name] = value
        elif not isinstance(value, Mapping) or (inner := merged(whole[name], value)) is None:
            return None
        else:
            whole[name] = inner
    return whole


def loaded(spec: Spec) -> LoadedSpec:
    text = yaml.safe_dump({"model": "Net", "seed_everything": 1, **spec})
    return parse_spec("spec", "spec.yaml", "spec.yaml", text.encode())


def codes_of(spec: Spec, project: Project | None = None) -> frozenset[str]:
    """The codes of the errors that there are in the script's place; none is rendered.

    `project` is the model's, where the spec names no classes but this.
    """
    try:
        project = project or linked(MODEL, MODEL.with_name("train.py"), (), loaded(spec), None, ())
        analyzed(project, frozenset(), loaded(spec))
    except CompileError as error:
        return frozenset(each.code for each in error.diagnostics if each.severity == "error")
    return frozenset()


def refused() -> Iterator[tuple[str, str, frozenset[str]]]:
    """The pairs that do not go together, with the codes of what is said."""
    project = linked(MODEL, MODEL.with_name("train.py"), (), loaded({}), None, ())
    for (first, one), (second, other) in itertools.combinations(OPTIONS.items(), 2):
        spec = merged(one, other)
        names_classes = spec and ("model" in spec or "wrapper" in spec.get("ddp", {}))
        if spec and (codes := codes_of(spec, None if names_classes else project)):
            yield first, second, codes


def table() -> str:
    """A row for each option that does not go with all others; each pair stands in the row of its first."""
    rows: dict[str, list[str]] = {}
    for first, second, _ in refused():
        rows.setdefault(first, []).append(second)
    lines = ["", "| | does not go with |", "|---|---|"]
    return (
        "\n".join([*lines, *(f"| {name} | {', '.join(others)} |" for name, others in rows.items())]) + "\n\n"
    )


def in_readme() -> tuple[str, str, str]:
    """The README before, within and after its marks."""
    before, _, rest = README.read_text("utf-8").partition(MARKS[0])
    within, _, after = rest.partition(MARKS[1])
    return before, within, after


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--update", action="store_true", help="write it into the README")
    if not parser.parse_args().update:
        print(table(), end="")
        return
    before, _, after = in_readme()
    README.write_text(f"{before}{MARKS[0]}{table()}{MARKS[1]}{after}", "utf-8")


if __name__ == "__main__":
    main()
