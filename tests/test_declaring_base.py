"""The script's base class for models goes where it would but declare attributes of the one class that has it."""

from __future__ import annotations

import pytest
from ddpgen.runtime.declaring_base import with_declarations
from ddpgen.runtime.definitions import RuntimeDefinition
from ddpgen.runtime.shake import Shaken
from ddpgen.source.definitions import Definition, Lowered, Origin

BASE = (
    'class TrainModule(nn.Module):\n    """What models are made from."""\n\n    hparams: Any\n    log: Logs\n'
)
LOGS = RuntimeDefinition("Logs", "metrics/logs", "class Logs:\n    pass\n")
DECLARED = 'hparams: Any\n    log: "Logs"\n\n    '


def declared(
    *codes: str,
    base: str = BASE,
    taken: frozenset[str] = frozenset(),
    mentioned: frozenset[str] = frozenset(),
) -> str | None:
    """The user's code afterwards; None: the base stays."""
    origin = Origin("model.py", 1, 9)
    definitions = tuple(Definition((f"N{number}",), code, origin) for number, code in enumerate(codes))
    lowered = Lowered(definitions, (), frozenset({"TrainModule"}))
    shaken = Shaken((RuntimeDefinition("TrainModule", "loop/module", base), LOGS), ())
    found = with_declarations(lowered, shaken, taken, mentioned, lambda line: line)
    assert found is None or found.runtime_names <= {"nn", "Any"}
    return found and "".join(each.code for each in found.definitions)


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (
            "class Net(TrainModule):\n    width = 3\n",
            f"class Net(nn.Module):\n    {DECLARED}width = 3\n",
        ),
        (
            "# mine\nclass MyTrainModule(TrainModule):  # a TrainModule\n    # why\n    width = 3\n",
            f"# mine\nclass MyTrainModule(nn.Module):  # a TrainModule\n    {DECLARED}# why\n    width = 3\n",
        ),
        (
            'class Net(TrainModule):\n    """Two\n    lines."""\n\n    width = 3\n',
            'class Net(nn.Module):\n    """Two\n    lines."""\n\n    hparams: Any\n    log: "Logs"\n\n    width = 3\n',
        ),
        (
            "class Net(TrainModule):\n\twidth = 3\n",
            'class Net(nn.Module):\n\thparams: Any\n\tlog: "Logs"\n\n\twidth = 3\n',
        ),
        (
            "class Net(TrainModule):\n    def __init__(self):\n        self.hparams = {}\n",
            'class Net(nn.Module):\n    log: "Logs"\n\n    def __init__(self):\n        self.hparams = {}\n',
        ),
        (
            "class Net(TrainModule):\n    def __init__(self):\n        self.hparams, self.log = {}, print\n",
            "class Net(nn.Module):\n    def __init__(self):\n        self.hparams, self.log = {}, print\n",
        ),
    ],
)  # fmt: skip
def test_the_class_declares_them(code: str, expected: str) -> None:
    assert declared(code) == expected
    compile(expected, "model.py", "exec")


@pytest.mark.parametrize(
    "codes",
    [
        ["class Net(TrainModule):\n    pass\n", "class Other(TrainModule):\n    pass\n"],
        ["class Net(Mixin, TrainModule):\n    pass\n"],
        ["@dataclass\nclass Net(TrainModule):\n    pass\n"],
        ["class Net(TrainModule, metaclass=ABCMeta):\n    pass\n"],
        ["class Net(TrainModule): pass\n"],
        [
            "class Net(TrainModule):\n    def same(self, other):\n        return isinstance(other, TrainModule)\n"
        ],
        [
            "class Net(TrainModule):\n    pass\n",
            "def is_model(each):\n    return isinstance(each, TrainModule)\n",
        ],
        ["if FLAG:\n    class Net(TrainModule):\n        pass\n"],
    ],
)
def test_the_base_stays_where_it_is_more_to_the_code(codes: list[str]) -> None:
    assert declared(*codes) is None


def test_the_base_stays_where_it_does_more() -> None:
    net = "class Net(TrainModule):\n    pass\n"
    assert declared(net)
    assert declared(net, base=BASE + "    dtype = torch.float32\n") is None
    assert declared(net, base=BASE + "    def to(self) -> None: ...\n") is None
    assert declared(net, base=BASE + "    values: Mapping[str, Any]\n") is None
    assert declared(net, taken=frozenset({"Logs"})) is None
    assert declared(net, taken=frozenset({"nn"})) is None
    assert declared(net, mentioned=frozenset({"to_torchscript"})) is None
