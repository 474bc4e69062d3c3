"""A build as a value: the script's text and its inputs, before anything is written."""

from __future__ import annotations

from dataclasses import replace

from .compile import Compiled, compile_script
from .diagnostics import Diagnostic
from .ir.recipe import Recipe, seen_from
from .ir.record import Record, digest
from .source.text_file import read_bytes
from .spec.load import LoadedSpec
from .version import __version__


def compile_recipe(recipe: Recipe, spec: LoadedSpec) -> Compiled:
    """What the recipe is compiled to. Raises CompileError with everything that is wrong with the user's code."""
    return compile_script(
        recipe.model,
        spec,
        recipe.model_class,
        recipe.data_class,
        recipe.script,
        recipe.roots,
        recipe.overrides,
    )


def generate(recipe: Recipe, spec: LoadedSpec) -> tuple[Record, tuple[Diagnostic, ...]]:
    """What the recipe gives now, and what the user should know of it.

    Raises CompileError with everything that is wrong with the user's code.
    """
    compiled = compile_recipe(recipe, spec)
    recipe = replace(recipe, roots=compiled.analysis.project.roots)
    files = compiled.files if isinstance(recipe.strategy, str) else (*compiled.files, recipe.strategy)
    sources = {seen_from(recipe.folder, path): digest(read_bytes(path)) for path in files}
    return Record(compiled.text, recipe, __version__, compiled.style, sources), compiled.notes
