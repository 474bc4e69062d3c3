"""`ddpgen explain`: every line of a script has its origin and its reason, and both are where they are said to be."""

from __future__ import annotations

import json
import os
import re
import shutil
from functools import cache
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from ddpgen.cli import main
from ddpgen.compile import compile_script
from ddpgen.explain import Explanation, Part, explain, explained
from ddpgen.explain.alignment import line_map
from ddpgen.explain.origins.runtime import origin
from ddpgen.explain.origins.template_lines import fields_of
from ddpgen.explain.reasons import REASONS, TEMPLATES
from ddpgen.features import FEATURES
from ddpgen.ir.recipe import Recipe
from ddpgen.render.render import render
from ddpgen.render.template import MARK, template_paths, template_text
from ddpgen.runtime.definitions import load_runtime
from ddpgen.spec.load import load_spec

ROOT = Path(__file__).parents[1]
SCRIPTS = sorted((ROOT / "generated_examples").rglob("train_ddp.py"))


@cache
def example(path: Path) -> Explanation:
    return explain(path)


def script_named(name: str) -> Explanation:
    return example(next(path for path in SCRIPTS if name in path.parts))


def part_with(explanation: Explanation, text: str) -> Part:
    """The part that holds the first line with that text."""
    lines = explanation.text.split("\n")
    part = explanation.at(next(number for number, line in enumerate(lines, 1) if text in line))
    assert part is not None
    return part


def texts(explanation: Explanation, part: Part) -> list[str]:
    """What stands in the places that a reason names."""
    return [
        "\n".join(explanation.files[place.path].split("\n")[place.first - 1 : place.last])
        for place in part.reason.places
    ]


# ---- every line ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.relative_to(ROOT).parts[1])
def test_every_line_belongs_to_one_part_with_a_reason(path: Path) -> None:
    explanation = example(path)
    lines = explanation.text.split("\n")
    assert explanation.text == path.read_text()
    owned = [number for part in explanation.parts for number in range(part.first, part.last + 1)]
    assert sorted(owned) == sorted(set(owned))
    free = [line for number, line in enumerate(lines, 1) if line.strip() and number not in owned]
    assert all(line.startswith(("# ----", "# from ")) for line in free)
    assert all(part.reason.sentence for part in explanation.parts)


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.relative_to(ROOT).parts[1])
def test_places_are_where_they_are_said_to_be(path: Path) -> None:
    explanation = example(path)
    for part in explanation.parts:
        for place in (*part.reason.places, *([part.origin] if part.origin else [])):
            if place.path.startswith("ddpgen/"):
                folder, name = place.path.split("/", 2)[1:]
                lines = (ROOT / folder / name).read_text().split("\n")
            else:
                lines = explanation.files[place.path].split("\n")
            assert 1 <= place.first <= place.last <= len(lines)
            names_it = part.kind in ("yours", "runtime") and part.name.isidentifier()
            if names_it and place is part.origin and part.name != "statement":
                assert any(part.name in line for line in lines[place.first - 1 : place.last])


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.relative_to(ROOT).parts[1])
def test_lines_that_are_the_users_word_for_word_are_so(path: Path) -> None:
    explanation = example(path)
    lines = explanation.text.split("\n")
    same = 0
    for number, place in explanation.lines.items():
        own = explanation.files[place.path].split("\n")[place.first - 1]
        # black may have broken the line, or put other quotes
        plain = [text.replace("'", '"').replace(" ", "") for text in (lines[number - 1], own)]
        assert plain[0][:4].strip(",()") in plain[1] or plain[0].strip() in plain[1]
        same += plain[0] == plain[1]
    assert same > len(explanation.lines) * 0.6


def test_marks_change_nothing_but_comments() -> None:
    """With them the same code is put together, and without them nothing of them is left."""
    model = ROOT / "generated_examples" / "digits" / "model.py"
    compiled = compile_script(model, load_spec(str(model.with_name("ddp.yaml"))))
    found = compiled.analysis
    text = render(found.script, compiled.lowered, found.project, 88, marks=True)
    assert line_map(text, compiled.text)
    assert MARK in text
    assert MARK not in compiled.text


def test_lines_are_followed_through_black() -> None:
    assert line_map("f(\n    a)\nb = 'c'\n", 'f(a)\n\n\nb = "c"\n') == {1: 1, 4: 3}
    assert line_map("(a,) = b\n", "(\n    (a,)\n) = b\n") == {1: 1, 2: 1, 3: 1}
    assert line_map('x = """1\n2"""\ny = 3\n', 'x = """1\n2"""\n\ny = 3\n') == {1: 1, 2: 2, 4: 3}


def test_what_black_writes_in_another_way_belongs_to_what_stands_above() -> None:
    before, after = "a = 1\nb = 'c' 'd'\ne = 2\n", 'a = 1\n\nb = "cd"\ne = 2\n'
    assert line_map(before, after) == {1: 1, 3: 2, 4: 3}


@pytest.mark.parametrize("name", load_runtime().definitions)
def test_each_definition_of_the_runtime_is_found(name: str) -> None:
    place = origin(name)
    lines = (ROOT / place.path.removeprefix("ddpgen/")).read_text().split("\n")
    assert any(
        re.match(rf"((async )?def |class )?{name}\b", line) for line in lines[place.first - 1 : place.last]
    )


# ---- every reason ----------------------------------------------------------------------------------------

OF_TEMPLATES = {"part", "field", "group", "loop"}
"""What templates are given of a text that they put in, and the variables of their loops."""


def used_fields() -> set[str]:
    """The decisions that templates depend on; hooks and what the trainer is asked for explain themselves."""
    used = {field for name in template_paths() for fields in fields_of(name).values() for field in fields}
    return {field for field in used if field.partition(".")[0] not in {*OF_TEMPLATES, "hooks", "asked"}}


def test_every_field_that_a_template_depends_on_has_a_reason() -> None:
    assert not {field for field in used_fields() if not {field, field.partition(".")[0]} & REASONS.keys()}


def test_no_reason_is_given_for_what_no_template_depends_on() -> None:
    used = used_fields()
    assert {field for field in REASONS if "." in field} <= used
    features = {each.name for each in FEATURES}
    assert {name for name in REASONS if "." not in name} - features <= {
        field.partition(".")[0] for field in used
    }
    assert TEMPLATES.keys() <= set(template_paths())


def test_each_feature_is_a_module_and_a_template_of_its_name() -> None:
    for each in FEATURES:
        module = ROOT / "codegen" / "features" / each.decide.__module__.split(".")[-2] / f"{each.name}.py"
        assert module.exists()
        folder = template_paths().get(each.name, f"{module.parent.name}/").partition("/")[0]
        assert folder == module.parent.name


def test_what_features_bring_has_its_place_in_the_loop() -> None:
    """Every block of a feature's template is put in somewhere, and no slot is left to nobody."""
    texts = [template_text(name) for name in template_paths()]
    slots = {slot for text in texts for slot in re.findall(r'slot\("(\w+)"\)', text)}
    assert {block for text in texts for block in re.findall(r"{% block (\w+) %}", text)} == slots


@pytest.mark.parametrize(
    ("code", "kind", "said", "places"),
    [
        ("def training_step", "yours", "Word for word", []),
        ("self.hparams = SimpleNamespace(", "rewritten", "`self.hparams = SimpleNamespace(", []),
        ("max_epochs: int = 3", "loop", "`max_epochs` of the Trainer says so", ["max_epochs=3"]),
        ("num_sanity_val_steps: int", "loop", "left as it is by default", []),
        ("hidden: int = 32\n", "loop", "An argument of `DigitsClassifier`", ["hidden: int = 32"]),
        ("seed: int = 42", "loop", "Random numbers", ["seed_everything(42)"]),
        ('    log: "Logs"', "rewritten", "as Lightning is gone: `class DigitsClassifier(nn.Module):`", []),
        ("with single_auto_sync(", "loop", "`sync` in the spec says so", ["sync: single_auto_sync"]),
        ("step = DistributedDataParallel(", "loop", "`strategy` in the spec says so", ["strategy: ddp"]),
        ("clip_grad_norm_(", "loop", "`gradient_clip_val` of", ["clip_val=1.0"]),
        ("scheduler.step()", "loop", "Schedulers step", ["def configure_optimizers"]),
        ("data.setup(", "loop", "You define the hook `setup`", ["def setup"]),
        ("val_metrics = validate(", "loop", "validation data is run", ["def validation_step"]),
        ('"hyper_parameters"', "loop", "the model adds", ["save_hyperparameters"]),
        ("write_checkpoint(last", "loop", "`checkpoint` in the spec is left", []),
        ("from sklearn", "import", "Your code imports it", ["from sklearn"]),
        ("import argparse", "import", "For `parse_config`", []),
        ('if __name__ == "__main__"', "head", "The training starts where", []),
    ],
)  # fmt: skip
def test_reasons(code: str, kind: str, said: str, places: list[str]) -> None:
    explanation = script_named("digits")
    part = part_with(explanation, code.rstrip("\n"))
    assert part.kind == kind
    assert said in part.reason.sentence
    assert len(part.reason.places) == len(places)
    assert all(expected in text for expected, text in zip(places, texts(explanation, part), strict=True))


def test_what_another_definition_needs() -> None:
    assert part_with(script_named("tumours"), "def mixed_seeds").reason.sentence.startswith(
        "`seed_worker` needs it"
    )


def test_a_project_of_several_files() -> None:
    explanation = script_named("cli_moons")
    assert list(explanation.files) == [
        "main.py",
        "moons/data.py",
        "moons/model.py",
        "moons/warm_up.py",
        "ddp.yaml",
    ]
    model = part_with(explanation, "def training_step").origin
    assert model is not None
    assert model.path == "moons/model.py"
    assert "def training_step" in explanation.files[model.path].split("\n")[model.first - 1]


def test_a_spec_that_wins_is_named(tmp_path: Path) -> None:
    model = ROOT / "generated_examples" / "digits" / "model.py"
    shutil.copy(model, tmp_path)
    (tmp_path / "mine.yaml").write_text("trainer:\n  max_epochs: 7\nmodel: {hidden: 16}\n")
    spec = load_spec(str(tmp_path / "mine.yaml"))
    recipe = Recipe(tmp_path / "train.py", tmp_path / "model.py", tmp_path / "mine.yaml")
    explanation = explained(compile_script(recipe.model, spec), recipe)
    part = part_with(explanation, "max_epochs: int = 7")
    assert texts(explanation, part) == ["  max_epochs: 7"]
    assert "hidden" in texts(explanation, part_with(explanation, "hidden: int = 16"))[1]


def test_a_strategy_of_the_codes_is_named(tmp_path: Path) -> None:
    for name in ("main.py", "model.py", "hooks.py"):
        shutil.copy(ROOT / "tests" / "comm_hooks" / name, tmp_path)
    recipe = Recipe(tmp_path / "train.py", tmp_path / "main.py", "ddp")
    explanation = explained(compile_script(recipe.model, load_spec("ddp")), recipe)
    (line,) = texts(explanation, part_with(explanation, "comm_hook.register(step)"))
    assert "strategy=strategy" in line


# ---- edits -----------------------------------------------------------------------------------------------


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    shutil.copytree(ROOT / "generated_examples" / "digits", tmp_path / "digits")
    return tmp_path / "digits" / "train_ddp.py"


def test_the_users_edits_are_told_apart(copied: Path) -> None:
    text = copied.read_text()
    step = "                optimizer.step()\n"
    edited = text.replace(step, f"{step}                print('stepped')\n")
    copied.write_text(edited)
    explanation = explain(copied)
    assert explanation.text == edited
    part = part_with(explanation, "print('stepped')")
    assert (part.kind, part.first) == ("edit", part.last)
    # what stands round it is explained as before
    assert "configure_optimizers" in texts(explanation, part_with(explanation, "optimizer.step()"))[0]
    assert part_with(explanation, "def forward").kind == "yours"


def test_what_todays_build_would_not_write_is_told_apart(copied: Path) -> None:
    model = copied.with_name("model.py")
    model.write_text(model.read_text().replace("gradient_clip_val=1.0, ", ""))
    part = part_with(explain(copied), "nn.utils.clip_grad_norm_")
    assert part.kind == "earlier"
    assert "`ddpgen build`" in part.reason.sentence


# ---- the command -----------------------------------------------------------------------------------------


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["explain", *arguments], catch_exceptions=False)


def test_all_parts_as_a_table(copied: Path) -> None:
    done = invoke(str(copied))
    assert done.exit_code == 0
    assert "DigitsClassifier.training_step" in done.output
    assert "model.py:28-32" in done.output
    assert "\x1b" not in done.output


def test_one_line_with_its_frames(copied: Path) -> None:
    number = next(n for n, line in enumerate(copied.read_text().split("\n"), 1) if "scheduler.step()" in line)
    done = invoke(f"{copied}:{number}")
    assert done.output.startswith(f"{copied.as_posix()}:{number}\n  {number} |         scheduler.step()\n")
    assert "model.py:40-43\n   40 |     def configure_optimizers(self):" in done.output


def test_a_line_between_parts(copied: Path) -> None:
    assert "only sets parts of the script apart" in invoke(f"{copied}:10").output


def test_a_line_beyond_the_end(copied: Path) -> None:
    done = invoke(f"{copied}:9999")
    assert done.exit_code == 2
    assert "and so no line 9999" in done.output


def test_as_json(copied: Path) -> None:
    data = json.loads(invoke(str(copied), "--json").output)
    assert data["script"] == copied.as_posix()
    part = next(part for part in data["parts"] if part["name"] == "DigitsClassifier.training_step")
    assert part["origin"] == {"path": "model.py", "first": 28, "last": 32}


def test_a_file_that_is_no_script_of_ddpgens(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text("print()\n")
    done = invoke(str(tmp_path / "own.py"))
    assert done.exit_code == 1
    assert "was not written by ddpgen" in done.output


def test_a_script_that_is_not_there(tmp_path: Path) -> None:
    done = invoke(str(tmp_path / "train_ddp.py"))
    assert done.exit_code == 1
    assert "There is no script at" in done.output


def test_the_page_is_one_file(copied: Path) -> None:
    target = copied.with_name("page.html")
    done = invoke(str(copied), "--html", str(target))
    assert done.output == f"wrote {target.as_posix()}\n"
    page = target.read_text()
    assert "http://" not in page.replace("http://www.w3.org", "")
    assert "https://" not in page


def test_what_a_file_holds_is_no_part_of_the_page_itself(copied: Path) -> None:
    """Text that looks like HTML is shown as it is."""
    model = copied.with_name("model.py")
    model.write_text(model.read_text().replace("8x8 grey-scale", "</script><b>8x8</b> & grey-scale"))
    target = copied.with_name("page.html")
    invoke(str(copied), "--html", str(target))
    assert "<b>8x8" not in target.read_text()
    assert target.read_text().count("</script>") == 2


def test_a_page_that_cannot_be_written(copied: Path) -> None:
    done = invoke(str(copied), "--html", os.fspath(copied.with_name("nowhere") / "page.html"))
    assert done.exit_code == 1
    assert "cannot be written" in done.output
