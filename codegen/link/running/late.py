"""Modules that a run imports later than the script runs them: in functions, branches, and for objects made by name."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass

from ... import messages
from ...diagnostics import Diagnostic
from ...source.names import is_for_types
from ...source.pure_calls import RANDOM, gives_a_value
from ..effects import Effects, acts
from ..modules.graph import Graph
from ..modules.module import Chunk, Module

SETTINGS = re.compile(
    r"(dotenv|logging|matplotlib|nltk|os\.environ|print|pyrootutils|rootutils|seaborn|sys\.path|torch\.(_dynamo|_inductor"
    r"|backends)|warnings)(\.|$)"
    r"|torch\.(set_float32_matmul_precision|multiprocessing\.set_\w+)$|omegaconf\.OmegaConf\.register_new_resolver$"
)
"""What may as well be set or told before a main begins."""

OF_THE_RUN = re.compile(
    r"torch\.(bernoulli|multinomial|normal|seed|set_default_\w+|set_grad_enabled|set_rng_state"
    r"|use_deterministic_algorithms|nn\.(Bilinear|Conv\w+|Embedding\w*|GRU\w*|Linear|LSTM\w*|MultiheadAttention|RNN\w*"
    r"|Transformer\w*))$"
)
"""What draws random numbers, beside what is known to, or says how tensors are made from then on."""

ACTING = re.compile(
    r"torch\.(set_\w+|backends\.[\w.]*(enable|set)\w*|multiprocessing\.set_\w+)$"
    r"|[\w.]+\.(basicConfig|connect|download|init|login|patch\w*|register\w*|set_\w+|setup|signal|start_\w+)$"
)
"""What sets something for the whole process, or does what its name says, beside giving a value."""

ALONE = re.compile(
    r"(random\.(Random|SystemRandom)|numpy\.random\.(default_rng|Generator|RandomState|SeedSequence))(\.|$)"
)
"""What draws from a state of its own."""


@dataclass(frozen=True)
class Late:
    """The modules that are imported while the entry's code runs."""

    graph: Graph
    executed: Collection[Module]  # at the top level of the first modules, and of what these import

    def modules(self, reached: Iterable[tuple[Module, Chunk]]) -> list[Module]:
        """Those that statements import which the script has, in branches and functions of theirs."""
        found = (module for place in reached for module in self._imported(*place))
        known = {*self.executed, *self.graph.first_modules}
        return [
            each for each in self.graph.run_with(found) if each not in known and self.graph.is_embedded(each)
        ]

    def _imported(self, module: Module, chunk: Chunk) -> Iterator[Module]:
        uses = (uses for node, uses in zip(chunk.nodes, chunk.uses, strict=True) if not is_for_types(node))
        for node in (node for each in uses for node, _ in each.imports):
            yield from self.graph.imported_by(module, node)

    def told(self, reached: Collection[tuple[Module, Chunk]]) -> Iterator[Diagnostic]:
        """What a run does after other things, and the script before them: an error where that surely matters."""
        late = {*self.modules(reached)} - {*self.graph.run_with(self._tried())}
        named = self._made_by_name()
        for module, chunk in reached:
            is_there = module in late | named and not chunk.is_import
            if is_there and is_of_the_run(self.graph, module, chunk):
                yield messages.done_too_early(module.place_of(chunk), module in named)
            elif module in late and self._may_matter(module, chunk):
                yield messages.done_early(module.place_of(chunk))

    def _tried(self) -> Iterator[Module]:
        """Those that are imported in order, unless that fails."""
        for module in (*self.executed, *self.graph.first_modules):
            for chunk in (each for each in module.chunks if isinstance(each.nodes[0], ast.Try)):
                yield from self._imported(module, chunk)

    def _made_by_name(self) -> set[Module]:
        """The modules that are imported alone where objects are made that a configuration names."""
        first = [each for each in self.graph.first_modules if each is not self.graph.configuration]
        own = self.graph.configuration
        return {*self.graph.run_with([own] if own else [])} - {*self.graph.run_with(first)}

    def _may_matter(self, module: Module, chunk: Chunk) -> bool:
        effects = Effects(self.graph, calls=_may_matter, changes=_is_no_setting)
        return not chunk.is_guard and any(map(acts, chunk.nodes)) and effects.of(module, chunk.nodes)


def is_of_the_run(graph: Graph, module: Module, chunk: Chunk) -> bool:
    """Whether running a statement surely draws random numbers, seeds, or says how tensors are made from then on."""
    return _does(graph, module, chunk, _is_of_the_run)


def draws_or_sets(graph: Graph, module: Module, chunk: Chunk) -> bool:
    """The same, or sets something else, whatever it binds."""
    return _does(graph, module, chunk, lambda dotted: _is_of_the_run(dotted) or bool(ACTING.match(dotted)))


def _does(graph: Graph, module: Module, chunk: Chunk, counts: Callable[[str], bool]) -> bool:
    nodes = [each for node in chunk.nodes for each in _run_at_once(node)]
    return Effects(graph, calls=counts, changes=counts).of(module, nodes)


def _is_of_the_run(dotted: str) -> bool:
    return bool(RANDOM.match(dotted) and not ALONE.match(dotted)) or bool(OF_THE_RUN.match(dotted))


def _may_matter(dotted: str) -> bool:
    return _is_no_setting(dotted) and not (gives_a_value(dotted) or ALONE.match(dotted))


def _is_no_setting(dotted: str) -> bool:
    return not SETTINGS.match(dotted)


def _run_at_once(node: ast.stmt) -> list[ast.stmt]:
    """What running a statement runs: of a class its body, of a function nothing."""
    if isinstance(node, ast.ClassDef):
        return [part for each in node.body for part in _run_at_once(each)]
    return [] if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) else [node]
