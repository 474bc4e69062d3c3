"""The spec that `ddpgen init` writes, and the schema that editors check specs with."""

from __future__ import annotations

import json
import math
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner
from ddpgen.cli import main
from ddpgen.spec.load import LoadedSpec, StrategySpec, parse_spec
from ddpgen.spec.schema import descriptions, spec_schema
from ddpgen.spec.sections.section import Section
from ddpgen.spec.yaml_file import read_yaml
from ddpgen.starter_spec.settings import SCHEMA_FILE, starter_spec
from jsonschema import Draft202012Validator
from test_spec import REFUSED

ROOT = Path(__file__).parents[1]
OF_CODE = frozenset({"cli_described", "cli_images", "cli_linked", "cli_scores", "cli_weather"})
"""Projects whose files hold settings that only their code knows of."""

SPECS = sorted(
    path
    for folder in ("strategies/presets", "generated_examples", "tests")
    for path in (ROOT / folder).rglob("*.yaml")
    if not {"conf", "configs", "constructs"} & set(path.parts)
    and OF_CODE.isdisjoint(path.parts)
    and "diagnostics" not in {each.stem for each in path.parent.iterdir()}
)


@cache
def validator() -> Draft202012Validator:
    Draft202012Validator.check_schema(spec_schema())
    return Draft202012Validator(spec_schema())


def load(text: str) -> LoadedSpec:
    return parse_spec("spec", "spec.yaml", "spec.yaml", text.encode())


# ---- init ------------------------------------------------------------------------------------------------


def test_the_written_spec_is_the_default_as_it_is() -> None:
    assert load(starter_spec("ddp.yaml")).spec == StrategySpec()


def test_the_written_spec_is_valid_with_every_setting_uncommented() -> None:
    """And every default that it names is the one that holds without it."""
    uncommented = re.sub(r"^#(?=\w|  )", "", starter_spec("ddp.yaml"), flags=re.MULTILINE)
    assert load(uncommented).spec == StrategySpec()
    assert not list(validator().iter_errors(yaml.safe_load(uncommented)))


def test_the_written_spec_is_valid_with_all_comments_gone() -> None:
    assert load(re.sub(r"#.*", "", starter_spec("ddp.yaml"))).spec == StrategySpec()


def test_each_single_setting_can_be_uncommented() -> None:
    """With the section that it is in, as the head says."""
    lines = starter_spec("ddp.yaml").splitlines()
    section = ""
    for line in lines:
        if re.match(r"#\w+:  ", line):
            section = line
        if re.match(r"#(\w|  )", line):
            chosen = [section[1:], line[1:]] if line.startswith("#  ") else [line[1:]]
            load("\n".join(["strategy: ddp", *chosen]))


def sections() -> list[Section]:
    top = StrategySpec()
    return [top, *(value for _, value in top if isinstance(value, Section))]


@pytest.mark.parametrize("section", sections(), ids=lambda section: type(section).__name__)
def test_every_setting_has_its_sentence_and_is_written(section: Section) -> None:
    fields = type(section).model_fields
    names = set(fields) - {"ckpt_path", "weights_only"}
    assert set(descriptions(type(section))) == names
    names = {fields[name].alias or name for name in names}  # words of Python's
    text = starter_spec("ddp.yaml")
    assert all(re.search(rf"^#? *{name}:.*  # \S", text, re.MULTILINE) for name in names)
    assert all(len(line) < 160 for line in text.splitlines())


def test_init_writes_a_spec_that_builds_and_names_its_schema(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, ["init"], catch_exceptions=False)
    assert done.output == f"wrote ddp.yaml\nwrote {SCHEMA_FILE}\n"
    first = Path("ddp.yaml").read_text().splitlines()[0]
    named = first.removeprefix("# yaml-language-server: $schema=")
    assert json.loads(Path(named).read_text()) == json.loads(json.dumps(spec_schema()))
    model = ROOT / "generated_examples" / "digits" / "model.py"
    command = ["build", str(model), "--strategy", "ddp.yaml", "-o", "train.py"]
    assert CliRunner().invoke(main, command).exit_code == 0


def test_init_never_overwrites(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text("strategy: single\n")
    done = CliRunner().invoke(main, ["init", str(file)])
    assert (done.exit_code, file.read_text()) == (1, "strategy: single\n")
    assert "is there already" in done.output
    assert not (tmp_path / ".ddpgen").exists()


# ---- the schema ------------------------------------------------------------------------------------------


def test_schema_prints_it() -> None:
    done = CliRunner().invoke(main, ["schema"], catch_exceptions=False)
    assert json.loads(done.output) == json.loads(json.dumps(spec_schema()))


@pytest.mark.parametrize("path", SPECS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_every_spec_in_the_repository_is_accepted(path: Path) -> None:
    data = read_yaml(path.name, path.read_bytes()).data
    assert not [error.message for error in validator().iter_errors(data or {})]


def has_json(value: Any) -> bool:
    """Whether JSON can say it: it has no NaN, and no keys but text; 1.0 and 1 are one number in it."""
    if isinstance(value, dict):
        return all(isinstance(key, str) and has_json(each) for key, each in value.items())
    if isinstance(value, list):
        return all(map(has_json, value))
    return not (isinstance(value, float) and (not math.isfinite(value) or value == int(value)))


@pytest.mark.parametrize(
    "text", [text for text, place, _ in REFUSED if "yaml-" not in place and isinstance(text, str)]
)
def test_what_the_validation_refuses_so_does_the_schema(text: str) -> None:
    data = read_yaml("spec.yaml", text.encode()).data
    if has_json(data):
        assert list(validator().iter_errors(data))


@pytest.mark.parametrize(
    "text",
    [
        "model: Net\ndata: package.Data",
        "model: {hidden: 3}",
        "checkpoint: false",
        "logger: tensorboard",
        "seed_everything: false",
        "process_group: {timeout: 1.5 m}",
        "process_group: {timeout: 90}",
        "trainer: {devices: 8, logger: true, callbacks: null, limit_val_batches: 0.5, max_steps: -1}",
        "trainer: {check_val_every_n_epoch: null, val_check_interval: 100}",
        "strategy: model_parallel\nmodel_parallel: {plan: {a: sequence, b: {style: rowwise, output_layouts: shard(1)}, "
        "c: {style: input, input_layouts: [shard(1), null], desired_input_layouts: [replicate, null]}, "
        "d: {style: output, output_layouts: replicate, desired_output_layouts: shard(-2), use_local_output: null}, "
        "e: {style: input, input_kwarg_layouts: {x: replicate}, desired_input_kwarg_layouts: {x: shard(0)}}}}",
        "ddp: null",
        "model: {größe: 3}",
    ],
)
def test_other_forms_that_both_accept(text: str) -> None:
    load(text)
    assert not list(validator().iter_errors(yaml.safe_load(text)))
