"""What code stores in hydra's ConfigStore: what is known of it when building is what hydra composes where it runs."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Iterator
from copy import deepcopy
from enum import Enum
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from click.testing import CliRunner
from ddpgen.cli import main
from ddpgen.link.configuration.composed import Primary, composed
from ddpgen.link.configuration.held import Configuration, Node, NotHeld, Setting
from ddpgen.link.modules.reached_files import entry_graph
from ddpgen.link.stored.store import store_of
from ddpgen.source.source_text import SourceText
from hydra import compose, initialize_config_dir
from hydra.core.config_store import ConfigStore
from omegaconf import OmegaConf

IMPORTS = """
from dataclasses import InitVar, dataclass, field
from enum import Enum, IntEnum, auto
from pathlib import Path
from typing import Any, ClassVar, Dict, List, Optional, Tuple, Union
import dataclasses
import os
import typing as t

import omegaconf
from hydra.core.config_store import ConfigStore
from omegaconf import II, MISSING, OmegaConf

cs = ConfigStore.instance()
"""


def read(
    folder: Path, text: str, *overrides: str, imports: str = IMPORTS, version: str | None = None
) -> Configuration:
    """What the build knows of the configuration `config`, of the code and the files in `conf`."""
    path = folder / "main.py"
    path.write_text(imports + dedent(text))
    (folder / "conf").mkdir(exist_ok=True)
    store = store_of(entry_graph(SourceText(str(path), path.read_text()), path, ()))
    return composed(Primary(folder / "conf", "config"), version, overrides, store=store)


def run(folder: Path, monkeypatch: pytest.MonkeyPatch, *overrides: str, version: str | None = None) -> Any:
    """What hydra composes where the code has run."""
    store = ConfigStore.instance()
    kept, store.repo = store.repo, deepcopy(store.repo)
    modules = set(sys.modules)
    monkeypatch.syspath_prepend(folder)
    try:
        importlib.invalidate_caches()
        importlib.import_module("main")
        with initialize_config_dir(str(folder / "conf"), version_base=version):
            return compose("config", list(overrides))
    finally:
        store.repo = kept
        for name in sys.modules.keys() - modules:
            if str(folder) in str(getattr(sys.modules[name], "__file__", "")):
                del sys.modules[name]


def settings(node: Node) -> Iterator[Setting]:
    if isinstance(node, Setting):
        yield node
    else:
        for each in node.values() if isinstance(node, dict) else node:
            yield from settings(each)


def shape(node: Node) -> object:
    """Which keys there are; of what is not known nothing is."""
    if isinstance(node, dict):
        return {key: shape(each) for key, each in node.items()}
    return [shape(each) for each in node] if isinstance(node, list) else None


def shape_of(value: object, known: object) -> object:
    if isinstance(value, dict) and isinstance(known, dict):
        return {key: shape_of(each, known.get(key)) for key, each in value.items()}
    if isinstance(value, list) and isinstance(known, list):
        return [shape_of(each, before) for each, before in zip(value, known, strict=True)]
    return None


def compared(
    folder: Path, monkeypatch: pytest.MonkeyPatch, text: str, *overrides: str, version: str | None = None
) -> dict[str, Any]:
    """What is known, if it is that which hydra composes; of what is not known None."""
    found = read(folder, text, *overrides, version=version).settings
    config = run(folder, monkeypatch, *overrides, version=version)
    held = OmegaConf.to_container(config)
    assert shape(found) == shape_of(held, shape(found))
    known = {each.name.removeprefix("cfg."): each.value for each in settings(found) if each.is_known}
    for name, value in known.items():
        real = OmegaConf.select(config, name, throw_on_missing=True)
        assert (type(real), real) == (type(value), value), name
        assert not isinstance(value, Enum)
    return known


FORMS = {
    "types convert": (
        """
        @dataclass
        class Config:
            lr: float = 1
            epochs: int = 3
            name: str = "a"
            scale: Optional[float] = 2
            clip: float | None = None
            either: Union[int, str] = "x"
            flag: bool = True
            lost: int = MISSING
            root: Path = Path("data")
        cs.store(name="config", node=Config)
        """,
        ("clip=5", "epochs=4"),
        {"lr": 1.0, "epochs": 4, "scale": 2.0, "clip": 5.0, "either": "x", "flag": True, "name": "a"},
    ),
    "nested ones, derived ones, factories": (
        """
        BASE = 4
        @dataclass
        class Base:
            width: int = BASE * 2
            rates: List[float] = field(default_factory=lambda: [1, 0.5])
            half: int = width // 2
        @dataclass
        class Child(Base):
            width: int = -BASE
            more: Dict[str, Any] = field(default_factory=lambda: {"a": {"b": 1}, **dict(c=2)})
        @dataclass
        class Config:
            child: Base = field(default_factory=Child)
            other: Base = field(default_factory=lambda: Base(width=9))
            any_: Any = field(default_factory=lambda: [Base(1), {"x": Base}])
            same: str = II("other.width")
            KIND: ClassVar[int] = 3
        cs.store(name="config", node=Config)
        """,
        ("child.more.a.b=2", "other.rates=[3]"),
        {
            "child.width": -4,
            "child.rates[0]": 1.0,
            "child.rates[1]": 0.5,
            "child.half": 4,
            "child.more.a.b": 2,
            "child.more.c": 2,
            "other.width": 9,
            "other.rates[0]": 3.0,
            "other.half": 4,
            "any_[0].width": 1,
            "any_[0].rates[0]": 1.0,
            "any_[0].rates[1]": 0.5,
            "any_[0].half": 4,
            "any_[1].x.width": 8,
            "any_[1].x.rates[0]": 1.0,
            "any_[1].x.rates[1]": 0.5,
            "any_[1].x.half": 4,
            "same": "9",
        },
    ),
    "enums": (
        """
        class Kind(str, Enum):
            A = "a"
            B = "b"
        class Size(Enum):
            SMALL = auto()
            LARGE = os.environ
        class Level(IntEnum):
            LOW = 1
        @dataclass
        class Config:
            kind: Kind = Kind.A
            told: str = Kind.B.value
            name: str = f"of {Size.SMALL.name}"
            size: Size = Size.LARGE
            level: Level = Level.LOW
            number: Any = Level.LOW
        cs.store(name="config", node=Config(kind=Kind.B))
        """,
        ("size=SMALL",),
        {"told": "b", "name": "of SMALL"},
    ),
    "what is not known": (
        """
        @dataclass
        class Config:
            root: str = os.environ.get("HOME", "")
            sizes: List[int] = field(default_factory=lambda: [os.getpid()])
            below: str = "${root}/x"
            rest: int = 1
        cs.store(name="config", node=Config)
        """,
        (),
        {"rest": 1},
    ),
    "what is set afterwards": (
        """
        @dataclass
        class Part:
            lr: float = 1
            scale: Optional[float] = None
            names: List[str] = field(default_factory=list)
            check: int = 2
            def __post_init__(self):
                if self.check < 0:
                    raise ValueError
                if self.scale is None:
                    self.scale = self.lr * 3
                self.names.append("x")
        @dataclass
        class More(Part):
            last: int = 0
            def __post_init__(self):
                super().__post_init__()
                self.last = 3
        @dataclass
        class Config:
            part: Part = field(default_factory=Part)
            more: Part = field(default_factory=More)
            none: Part = MISSING
        cs.store(name="config", node=Config)
        """,
        ("more.scale=7",),
        {"part.lr": 1.0, "part.check": 2, "more.lr": 1.0, "more.check": 2, "more.scale": 7.0},
    ),
    "mappings": (
        """
        cs.store("base", {"a": 1, "b": {"c": 2.5, "d": [1, "x"]}})
        cs.store(name="config", node=OmegaConf.create({"defaults": ["base", "_self_"], "b": {"c": 3}}))
        """,
        ("+e=${a}",),
        {"a": 1, "b.c": 3, "b.d[0]": 1, "b.d[1]": "x", "e": 1},
    ),
    "groups and defaults": (
        """
        @dataclass
        class Model:
            _target_: str = "models.Base"
            width: int = 1
        @dataclass
        class Wide(Model):
            width: int = 20
        defaults = [{"model": "wide"}, {"optional other": "none"}, "_self_"]
        @dataclass
        class Config:
            defaults: list[Any] = field(default_factory=lambda: defaults)
            model: Model = MISSING
            seed: int = 0
        def register() -> None:
            from hydra.core.config_store import ConfigStore as Store
            store: Store = Store.instance()
            group = "model"
            store.store(group=group, name="base", node=Model, package=None)
            store.store(group=group, name="wide", node=Wide)
            for name, seed in (("one", 1), ("two", 2)):
                store.store(f"seed_{name}", {"seed": seed}, "run", "_global_")
            Store.instance().store("config", Config)
        register()
        """,
        ("+run=seed_two", "model.width=21"),
        {"model._target_": "models.Base", "model.width": 21, "seed": 2},
    ),
    "decorators": (
        """
        def register(group, prefix="of_"):
            def decorator(cls):
                cs.store(group=group, name=prefix + cls.__name__, node=cls)
                print("registered", cls)
                return cls
            return decorator
        def main_config(cls):
            cs.store("config", cls)
            return cls
        @register(group="model")
        @dataclass
        class Net:
            width: int = 3
        @register("model", prefix="")
        @dataclass(frozen=True)
        class Deep(Net):
            depth: int = 4
        @main_config
        @dataclass
        class Config:
            defaults: List[Any] = field(default_factory=lambda: [{"model": "of_Net"}])
            model: Any = MISSING
        """.replace("(frozen=True)", ""),
        ("model=Deep",),
        {"model.width": 3, "model.depth": 4},
    ),
}


@pytest.mark.parametrize("form", FORMS)
def test_it_is_what_hydra_composes(form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text, overrides, known = FORMS[form]
    assert compared(tmp_path, monkeypatch, text, *overrides) == known


FILES = """
@dataclass
class Net:
    width: int = 3
    rate: float = 1
    names: Optional[List[str]] = None
@dataclass
class Config:
    net: Net = field(default_factory=Net)
    seed: int = 0
cs.store("base_config", Config)
cs.store(group="net", name="base_net", node=Net)
"""


@pytest.mark.parametrize("version", [None, "1.1"])
def test_files_build_upon_what_is_stored(
    version: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "conf" / "net").mkdir(parents=True)
    (tmp_path / "conf" / "net" / "wide.yaml").write_text("defaults: [base_net]\nwidth: 9\nrate: 2\n")
    (tmp_path / "conf" / "config.yaml").write_text("defaults: [base_config, net: wide, _self_]\nseed: 5\n")
    known = compared(tmp_path, monkeypatch, FILES, "net.names=[a]", version=version)
    assert known == {"net.width": 9, "net.rate": 2.0, "net.names[0]": "a", "seed": 5}
    found = read(tmp_path, FILES)
    assert {Path(each.path).name for each in found.spans.values()} == {"main.py", "config.yaml", "wide.yaml"}
    assert found.spans["cfg.net.names"].path == str(tmp_path / "main.py")
    with pytest.raises(NotHeld, match=r"Key 'depth' not in 'Net'|Could not override 'net.depth'"):
        read(tmp_path, FILES, "net.depth=3")
    (tmp_path / "conf" / "config.yaml").write_text("defaults: [base_config, _self_]\nnet: {depth: 3}\n")
    with pytest.raises(NotHeld, match="config"):
        read(tmp_path, FILES)
    with pytest.raises(NotHeld, match="config"):
        read(tmp_path, FILES, "seed=x")


def test_a_file_that_hydra_1_1_matches_with_a_schema(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf" / "config.yaml").write_text("seed: 5\nnet: {rate: 3}\n")
    text = FILES + 'cs.store("config", Config)\n'
    assert compared(tmp_path, monkeypatch, text, version="1.1")["net.rate"] == 3.0
    assert compared(tmp_path, monkeypatch, text, version="1.3")["seed"] == 5


STORES = 'cs.store(name="config", node=Config)'

UNREAD = {
    "a default that may be mixed with others": (
        f"@dataclass\nclass Config:\n    a: Any = os.environ\n{STORES}",
        "`Config.a`: what its `environ` is is not known|`Config.a`: `os.environ` is not known",
    ),
    "a type": (
        f"@dataclass\nclass Config:\n    a: os.PathLike = None\n{STORES}",
        "`Config.a`: `os.PathLike` is not known",
    ),
    "a method of its own": (
        f"@dataclass\nclass Config:\n    a: int = 1\n    def __init__(self): self.a = 2\n{STORES}",
        "`Config` has a method `__init__`",
    ),
    "what is set afterwards may be mixed with others": (
        "@dataclass\nclass Part:\n    a: Any = None\n    def __post_init__(self):\n        self.a = {}\n"
        f"@dataclass\nclass Config:\n    part: Part = field(default_factory=Part)\n{STORES}",
        "`Part.__post_init__` may change `a`",
    ),
    "a target": (
        f"@dataclass\nclass Config:\n    _target_: str = os.sep.join(['a', 'b'])\n{STORES}",
        "`Config._target_`: ",
    ),
    "a base": (f"class Config(os.PathLike):\n    a: int = 1\n{STORES}", "`os.PathLike` is not known"),
    "a decorator": (
        "def changed(cls):\n    cls.a = 2\n    return cls\n"
        f"@changed\n@dataclass\nclass Config:\n    a: int = 1\n{STORES}",
        "what the decorator `changed` gives is not known",
    ),
    "a variable that code changes": (
        "DEFAULTS = []\nDEFAULTS.append({'a': 'b'})\n@dataclass\nclass Config:\n"
        f"    defaults: List[Any] = field(default_factory=lambda: DEFAULTS)\n{STORES}",
        "code changes `DEFAULTS`",
    ),
    "an instance that code changes": (
        "@dataclass\nclass Config:\n    a: int = 1\ndef store():\n    node = Config()\n    node.a = 2\n"
        '    cs.store(name="config", node=node)\nstore()',
        "code changes `node`",
    ),
    "a condition": (
        f"@dataclass\nclass Config:\n    a: int = 1\n{STORES}\n"
        'if os.sep == "/":\n    cs.store(name="config", node={"a": 2})',
        "whether this is run is not known",
    ),
    "a loop that may end": (
        '@dataclass\nclass Config:\n    a: int = 1\ndef store():\n    if os.sep == "/":\n        return\n'
        f"    {STORES}\nstore()",
        "whether this is run is not known",
    ),
    "a type that OmegaConf refuses": (
        f"@dataclass\nclass Config:\n    a: int = 'x'\n{STORES}",
        "Value 'x' of type 'str' could not be converted to Integer",
    ),
}


@pytest.mark.parametrize("what", UNREAD)
def test_what_cannot_be_read_is_told(what: str, tmp_path: Path) -> None:
    text, reason = UNREAD[what]
    before = deepcopy(ConfigStore.instance().repo)
    with pytest.raises(NotHeld, match=reason) as told:
        read(tmp_path, text)
    (tmp_path / "conf" / "config.yaml").write_text("a: 1\n")
    with pytest.raises(NotHeld, match=reason):  # it is the file's schema
        read(tmp_path, text)
    said = str(told.value)
    assert said.startswith("`config`, which `")
    assert said.endswith("Write it as a file.")
    assert ConfigStore.instance().repo == before


def test_what_is_not_asked_for_need_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = """
        @dataclass
        class Odd:
            def __init__(self):
                pass
        cs.store(name="config", node={"a": 1})
        cs.store(group="b", name="odd", node=Odd)
        if os.environ.get("ODD"):
            cs.store(name=os.environ["ODD"], node=Odd)
    """
    (tmp_path / "conf").mkdir()
    assert compared(tmp_path, monkeypatch, text) == {"a": 1}
    with pytest.raises(
        NotHeld, match=r"`b/odd`, which `.*main.py:21` stores in hydra's ConfigStore, is not read"
    ):
        read(tmp_path, text, "+b=odd")


def test_modules_of_the_project_that_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "__init__.py").write_text("from . import nets as all_nets\n")
    (tmp_path / "parts" / "kinds.py").write_text("from dataclasses import dataclass\nSIZE: int = 3\n")
    (tmp_path / "parts" / "nets.py").write_text(
        "from __future__ import annotations\nimport dataclasses as d\nfrom hydra.core.config_store import ConfigStore\n"
        "from . import kinds\n@d.dataclass\nclass Net:\n    rate: float = kinds.SIZE\n    next: int | None = None\n"
        "ConfigStore.instance().store(group='net', name='plain', node=Net)\n"
    )
    text = """
        import parts.nets
        from parts import all_nets
        @dataclass
        class Config:
            defaults: List[Any] = field(default_factory=lambda: ["_self_", {"net": "plain"}])
            net: all_nets.Net = MISSING
        cs.store("config", Config)
    """
    assert compared(tmp_path, monkeypatch, text) == {"net.rate": 3.0, "net.next": None}
    again = text.rstrip() + "\n        cs.store(group='net', name='plain', node=NODE)\n"
    known = {"net.rate": 3.0, "net.next": None}
    assert compared(tmp_path, monkeypatch, again.replace("NODE", "all_nets.Net")) == known
    with pytest.raises(NotHeld, match="several modules store it"):
        read(tmp_path, again.replace("NODE", "{}"))


MAIN = """
import hydra
import lightning as L
import torch
from dataclasses import dataclass, field
from hydra.core.config_store import ConfigStore
from torch.utils.data import DataLoader

class Net(L.LightningModule):
    def __init__(self, lr):
        super().__init__()
        self.lr, self.layer = lr, torch.nn.Linear(2, 1)
    def training_step(self, batch, batch_idx):
        return self.layer(batch).square().mean()
    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=self.lr)

@dataclass
class Trainer:
    max_epochs: int = 2
    gradient_clip_val: float = 1
    gradient_clip_algorithm: str = "value"

@dataclass
class Config:
    lr: float = 0.1
    trainer: Trainer = field(default_factory=Trainer)

cs = ConfigStore.instance()
cs.store(name="config", node=Config)

@hydra.main(version_base=None, config_name="config")
def main(cfg):
    trainer = L.Trainer(max_epochs=cfg.trainer.max_epochs, gradient_clip_val=cfg.trainer.gradient_clip_val,
                        gradient_clip_algorithm=cfg.trainer.gradient_clip_algorithm, logger=False)
    trainer.fit(Net(cfg.lr), DataLoader(torch.ones(4, 2), 2))

if __name__ == "__main__":
    main()
"""


def test_a_main_that_names_no_folder(tmp_path: Path) -> None:
    """Its values are known, and other ones are told."""

    def build(text: str, *overrides: str) -> str:
        (tmp_path / "main.py").write_text(text)
        arguments = ["build", str(tmp_path / "main.py"), "--strategy", "single", "--", *overrides]
        return CliRunner().invoke(main, arguments, catch_exceptions=False).output

    assert "wrote" in build(MAIN, "lr=0.2")
    assert "clip_grad_value_" in (tmp_path / "train_single.py").read_text()
    assert "configuration-unknown" not in build(MAIN)
    lines = 'cs = ConfigStore.instance()\ncs.store(name="config", node=Config)\n'
    guarded = MAIN.replace(lines, "").replace(
        "    main()", f"    {lines}    main()".replace("\ncs.", "\n    cs.")
    )
    assert guarded.count("    cs.store(") == 1
    assert "wrote" in build(guarded, "lr=0.2")
    said = build(MAIN.replace("lr: float = 0.1", "lr: object = 0.1"), "lr=0.2")
    assert "error[configuration-unknown]: This configuration cannot be composed: `config`, which `" in said
    shown = os.path.relpath(tmp_path / "main.py")
    nameless = MAIN.replace('name="config", node', "name=__name__, node")
    said = build(nameless, "lr=0.2")
    assert f"under which names `{shown}:30` stores in hydra's ConfigStore is not known" in said
    said = build(nameless.replace("cs.store", "if torch: cs.store"), "lr=0.2")
    assert "Cannot find primary config 'config'" in said
    assert f"What `{shown}:30` may store in hydra's ConfigStore is not read" in said
