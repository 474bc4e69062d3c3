"""Statements on the line of what holds them: the scripts are those of the same code in blocks."""

from __future__ import annotations

import shutil
from pathlib import Path
from textwrap import dedent

import libcst as cst
import libcst.matchers as m
import pytest
from click.testing import CliRunner
from ddpgen.cli import main
from ddpgen.source.source import Source
from ddpgen.source.suites import in_blocks

HERE = Path(__file__).parent

TEXT = dedent("""\
    é = 1; f = 2
    if é: f = 3; g(f)  # why
    elif f: pass
    else: f = 4
    for each in f: g(
        each)
    try: f = 5
    except ValueError: pass
    finally: f
    match f:
        case 1: f = 6
    class A:
        @g
        def me(self) -> int: return self.f
    """)


def test_each_compound_statement_holds_a_block() -> None:
    source = in_blocks(Source.parse("main.py", TEXT))
    assert not m.findall(source.module, m.SimpleStatementSuite())
    assert m.findall(source.module, m.IndentedBlock())
    assert cst.parse_module(source.text).code.count("# why") == 1


def test_places_are_those_of_the_user() -> None:
    source = in_blocks(Source.parse("main.py", TEXT))
    (node,) = m.findall(source.module, m.Return())
    span = source.span(node)
    assert (span.line, span.column, span.end_line) == (14, 26, 14)
    assert source.line_of(span) == "    def me(self) -> int: return self.f"


def test_code_in_blocks_stays() -> None:
    source = Source.parse("main.py", "table = {1: 2}\nif table:\n    table = 3\n")
    assert in_blocks(source) is source


class OnOneLine(cst.CSTTransformer):
    def leave_IndentedBlock(
        self, original_node: cst.IndentedBlock, updated_node: cst.IndentedBlock
    ) -> cst.BaseSuite:
        line, *others = updated_node.body
        is_plain = isinstance(line, cst.SimpleStatementLine) and not (
            line.leading_lines or updated_node.footer
        )
        if others or not is_plain or m.matches(line, m.SimpleStatementLine([m.Expr(m.SimpleString())])):
            return updated_node
        return cst.SimpleStatementSuite(line.body, trailing_whitespace=line.trailing_whitespace)


def built(project: Path, folder: Path, *transformers: cst.CSTTransformer) -> str:
    shutil.copytree(project, folder, ignore=shutil.ignore_patterns("__pycache__"))
    for path in folder.rglob("*.py"):
        module = cst.parse_module(path.read_text())
        for each in transformers:
            module = module.visit(each)
        path.write_text(module.code)
    script = folder / "train_ddp.py"
    outcome = CliRunner().invoke(main, ["build", str(folder / "main.py"), "-o", str(script)])
    assert outcome.exit_code == 0, outcome.output
    return script.read_text()


@pytest.mark.parametrize("name", ["main_dqn", "main_vae", "main_metric_sets", "main_mean_teacher"])
def test_the_script_is_the_same(name: str, tmp_path: Path) -> None:
    project = HERE / "projects" / name
    own = built(project, tmp_path / "own" / name)
    assert built(project, tmp_path / "one" / name, OnOneLine()) == own
