"""Checkpoint files: never half written, never run, and a sentence for what is none."""

from __future__ import annotations

import os
import pickle
import random
import re
import resource
from collections import OrderedDict, defaultdict, namedtuple
from pathlib import Path
from typing import Any

import lightning as L
import numpy as np
import pytest
import torch
from ddpgen.strategies.checkpoints.checkpoint import (
    is_plain,
    left_out,
    plain_entries,
    read_checkpoint,
    write_checkpoint,
)
from ddpgen.strategies.checkpoints.randomness import rng_state, seed_everything
from ddpgen.strategies.loop.module import DataModule, HParams, TrainModule, moved_to_loaded
from torch import nn

Point = namedtuple("Point", "x y")


def a_checkpoint(value: float = 1.0) -> dict[str, Any]:
    """What a script writes, small."""
    model = nn.Linear(2, 2)
    optimizer = torch.optim.AdamW(model.parameters())
    model(torch.ones(2)).sum().backward()
    optimizer.step()
    return {
        "epoch": 3,
        "global_step": 12,
        "pytorch-lightning_version": "2.6.6",
        "state_dict": model.state_dict(),
        "optimizer_states": [optimizer.state_dict()],
        "lr_schedulers": [torch.optim.lr_scheduler.StepLR(optimizer, 2).state_dict()],
        "hyper_parameters": {"width": 3, "value": value},
        "rng_states": [rng_state()],
    }


def same(one: Any, other: Any) -> bool:
    if isinstance(one, torch.Tensor):
        return torch.equal(one, other)
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "last.ckpt"


# ---- writing ---------------------------------------------------------------------------------------------


def test_what_is_written_is_read(path: Path) -> None:
    checkpoint = a_checkpoint()
    write_checkpoint(path, checkpoint)
    assert same(read_checkpoint(path), checkpoint)
    assert os.listdir(path.parent) == ["last.ckpt"]


def test_a_later_checkpoint_replaces_the_earlier_one(path: Path) -> None:
    for value in (1.0, 2.0):
        write_checkpoint(path, a_checkpoint(value))
    assert read_checkpoint(path)["hyper_parameters"]["value"] == 2
    assert os.listdir(path.parent) == ["last.ckpt"]


def test_lightning_can_read_it(path: Path) -> None:
    class Model(L.LightningModule):
        def __init__(self, width: int, value: float) -> None:
            super().__init__()
            self.save_hyperparameters()
            self.weight, self.bias = nn.Parameter(torch.zeros(2, 2)), nn.Parameter(torch.zeros(2))

    checkpoint = a_checkpoint()
    write_checkpoint(path, checkpoint)
    model = Model.load_from_checkpoint(path)
    assert model.hparams == {"width": 3, "value": 1.0}
    assert same(model.state_dict(), checkpoint["state_dict"])


def test_a_model_goes_where_its_weights_were_loaded() -> None:
    """As under Lightning; a checkpoint without any leaves it where it is."""
    model = nn.Linear(2, 2)
    assert moved_to_loaded(model, {"state_dict": {"extra": 1}}).weight.device == torch.device("cpu")
    loaded = {"state_dict": {"extra": 1, "weight": torch.zeros(2, 2, device="meta")}}
    assert moved_to_loaded(model, loaded).weight.device == torch.device("meta")


def test_a_model_is_loaded_without_running_code_unless_that_is_asked_for(path: Path) -> None:
    class Model(TrainModule):
        def __init__(self) -> None:
            super().__init__()
            self.weight, self.bias = nn.Parameter(torch.zeros(2, 2)), nn.Parameter(torch.zeros(2))

    checkpoint = a_checkpoint()
    write_checkpoint(path, checkpoint | {"callbacks": {"Counter": defaultdict(int, {"seen": 3})}})
    for refused in ({}, {"weights_only": True}, {"weights_only": None}):
        with pytest.raises(pickle.UnpicklingError):
            Model.load_from_checkpoint(path, **refused)
    model = Model.load_from_checkpoint(path, weights_only=False)
    assert same(model.state_dict(), checkpoint["state_dict"])


@pytest.mark.parametrize("room", [0, 600, 100_000], ids=["at once", "at the end", "in the middle"])
def test_a_full_disk_leaves_the_old_file(path: Path, room: int) -> None:
    """A limit for files does what a full disk does: torch raises a RuntimeError of its own."""
    write_checkpoint(path, a_checkpoint())
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, limits[1]))
    try:
        with pytest.raises(SystemExit, match=rf"^cannot write {path}: \[Errno 27\] File too large$"):
            write_checkpoint(path, a_checkpoint(2.0) | {"weights": torch.zeros(room)})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert read_checkpoint(path)["hyper_parameters"]["value"] == 1
    assert os.listdir(path.parent) == ["last.ckpt"]


def test_a_folder_that_was_removed_is_told_in_a_sentence(path: Path) -> None:
    with pytest.raises(SystemExit, match=r"^cannot write .*/gone/last\.ckpt: .*No such file"):
        write_checkpoint(path.parent / "gone" / "last.ckpt", a_checkpoint())


def test_a_crash_before_the_rename_leaves_the_old_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_checkpoint(path, a_checkpoint())

    def crash(file: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", crash)
    with pytest.raises(KeyboardInterrupt):
        write_checkpoint(path, a_checkpoint(2.0))
    assert read_checkpoint(path)["hyper_parameters"]["value"] == 1


def test_the_file_is_on_the_disk_before_it_gets_its_name(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    events: list[str] = []
    fsync, replace = os.fsync, Path.replace

    def note_fsync(file: int) -> None:
        events.append(f"fsync of {os.fstat(file).st_size > 1000 and 'a whole file'}")
        fsync(file)

    def note_replace(self: Path, target: Path) -> Path:
        events.append(f"rename to {target.name}")
        return replace(self, target)

    monkeypatch.setattr(os, "fsync", note_fsync)
    monkeypatch.setattr(Path, "replace", note_replace)
    write_checkpoint(path, a_checkpoint())
    assert events == ["fsync of a whole file", "rename to last.ckpt"]


def test_what_a_crash_left_is_written_over(path: Path) -> None:
    path.with_name("last.ckpt.partial").write_bytes(b"rubbish" * 10_000)
    write_checkpoint(path, a_checkpoint())
    assert read_checkpoint(path)["epoch"] == 3
    assert os.listdir(path.parent) == ["last.ckpt"]


# ---- reading ---------------------------------------------------------------------------------------------


class Evil:
    """Runs code when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return Path.touch, (self.path,)


def foreign(path: Path) -> dict[str, Any]:
    """Files that are no checkpoints of a script's, by name, as functions that write them."""
    zipped = a_checkpoint()
    return {
        "empty": lambda: path.write_bytes(b""),
        "text": lambda: path.write_text("not a checkpoint\n"),
        "one byte": lambda: path.write_bytes(b"\x80"),
        "a zip": lambda: path.write_bytes(b"PK\x05\x06" + bytes(18)),
        "a plain pickle": lambda: path.write_bytes(pickle.dumps({"rng_states": []})),
        "a pickle of an array": lambda: path.write_bytes(pickle.dumps(np.zeros(3))),
        "a list": lambda: torch.save([1, 2], path),
        "a tensor": lambda: torch.save(torch.ones(2), path),
        "weights": lambda: torch.save(nn.Linear(2, 2).state_dict(), path),
        "Lightning's": lambda: torch.save({key: zipped[key] for key in zipped if key != "rng_states"}, path),
        "a module": lambda: torch.save({"rng_states": [], "model": nn.Linear(2, 2)}, path),
        "a path": lambda: torch.save({"rng_states": [], "path": Path("x")}, path),
    }


@pytest.mark.filterwarnings("ignore:Detected pickle protocol")
@pytest.mark.parametrize("name", foreign(Path()))
def test_a_foreign_file_ends_in_a_sentence(path: Path, name: str) -> None:
    foreign(path)[name]()
    with pytest.raises(SystemExit) as stop:
        read_checkpoint(path)
    assert str(path) in str(stop.value)
    assert "is damaged, or not this script's" in str(stop.value)
    assert len(str(stop.value).splitlines()) == 1, "torch's advice is none here"
    assert ("as Lightning's have none" in str(stop.value)) is (name in ("a list", "weights", "Lightning's"))


@pytest.mark.filterwarnings("ignore:Detected pickle protocol")
@pytest.mark.parametrize("protocol", ["zip", "legacy", "pickle"])
def test_code_in_a_file_is_refused_and_not_run(path: Path, protocol: str) -> None:
    trace = path.with_name("trace")
    contents = {"rng_states": [], "evil": Evil(trace)}
    if protocol == "pickle":
        path.write_bytes(pickle.dumps(contents))
    else:
        torch.save(contents, path, _use_new_zipfile_serialization=protocol == "zip")
    with pytest.raises(SystemExit, match="is damaged, or not this script's"):
        read_checkpoint(path)
    assert not trace.exists()
    if protocol == "pickle":  # it would have been
        pickle.loads(path.read_bytes())
        assert trace.exists()


def test_a_truncated_file_ends_in_a_sentence(path: Path) -> None:
    write_checkpoint(path, a_checkpoint())
    whole = path.read_bytes()
    for length in (1, 10, 100, len(whole) // 2, len(whole) - 100, len(whole) - 1):
        path.write_bytes(whole[:length])
        with pytest.raises(SystemExit, match="is damaged, or not this script's"):
            read_checkpoint(path)


@pytest.mark.filterwarnings("ignore")  # torch's, on what it finds
def test_a_damaged_file_is_read_or_ends_in_a_sentence(path: Path) -> None:
    """Never a traceback, whichever bytes are wrong."""
    seed_everything(0)
    write_checkpoint(path, a_checkpoint())
    whole = path.read_bytes()
    structure = whole.index(b"PK\x03\x04", 1)  # up to here the file says what is in it, and then come numbers
    source = random.Random(0)
    said = []
    for trial in range(800):
        damaged = bytearray(whole)
        for _ in range(source.choice((1, 1, 2, 8))):
            damaged[source.randrange(structure if trial % 4 else len(whole))] = source.randrange(256)
        path.write_bytes(damaged)
        try:
            read_checkpoint(path)
        except SystemExit as stop:
            said.append(str(stop))
    assert len(said) > 200
    assert all(str(path) in sentence for sentence in said)


def flipped(data: bytes, bit: int) -> bytes:
    changed = bytearray(data)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


@pytest.mark.filterwarnings("ignore")  # torch's, on what it finds
def test_no_flipped_bit_changes_what_is_loaded(path: Path) -> None:
    """One that is not found is in what nothing reads: the alignment, dates, names that are there twice."""
    checkpoint = a_checkpoint()
    write_checkpoint(path, checkpoint)
    whole, refused = path.read_bytes(), 0
    entries = [found.start() for found in re.finditer(b"PK\x01\x02", whole)]
    taken_for_folders = [(entry + 38) * 8 + 4 for entry in entries]  # torch would leave their tensors empty
    for bit in [*random.Random(0).sample(range(len(whole) * 8), 300), *taken_for_folders]:
        path.write_bytes(flipped(whole, bit))
        try:
            assert same(read_checkpoint(path), checkpoint), f"bit {bit}"
        except SystemExit:
            refused += 1
    assert refused > 200


def test_a_model_is_not_loaded_from_a_damaged_file(path: Path) -> None:
    checkpoint = a_checkpoint() | {"hyper_parameters": {}}
    write_checkpoint(path, checkpoint)
    whole = path.read_bytes()
    weight = whole.index(checkpoint["state_dict"]["weight"].numpy().tobytes())
    path.write_bytes(flipped(whole, weight * 8))
    torch.load(path, weights_only=True)  # finds nothing
    with pytest.raises(ValueError, match="a checksum is wrong"):
        Kept.load_from_checkpoint(path)


@pytest.mark.parametrize("is_open", [True, False], ids=["open", "of the older format"])
def test_models_are_loaded_from_other_files(path: Path, is_open: bool) -> None:
    checkpoint = a_checkpoint() | {"hyper_parameters": {}}
    torch.save(checkpoint, path, _use_new_zipfile_serialization=is_open)
    with path.open("rb") as file:
        model = Kept.load_from_checkpoint(file if is_open else path)
    assert same(model.state_dict(), checkpoint["state_dict"])


def test_a_folder_ends_in_a_sentence(path: Path) -> None:
    path.mkdir()
    with pytest.raises(SystemExit, match=r"last\.ckpt"):
        read_checkpoint(path)


def test_tensors_of_a_gpu_come_to_the_cpu(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the machine has no GPU, what torch is asked for."""
    asked: dict[str, Any] = {}

    def load(file: Any, map_location: Any = None, **options: Any) -> Any:
        asked.update(options, map_location=map_location)
        return {"rng_states": []}

    write_checkpoint(path, {})
    monkeypatch.setattr(torch, "load", load)
    read_checkpoint(path)
    assert (str(asked["map_location"]), asked["weights_only"]) == ("cpu", True)


# ---- what a checkpoint can hold --------------------------------------------------------------------------

PLAIN = [
    None,
    True,
    3,
    2.5,
    "text",
    [1, [2, None]],
    (1, "a"),
    torch.Size([2, 3]),
    {"a": {1: [2.0]}},
    torch.ones(2),
    HParams(a=1, b=[HParams(c=2)]),
    OrderedDict(a=1),
    [],
    {},
]
NOT_PLAIN = [
    nn.Linear(1, 1),
    nn.Parameter(torch.ones(1)),
    Path("x"),
    np.float32(1),
    np.zeros(2),
    {1, 2},
    b"bytes",
    print,
    int,
    [1, [Path("x")]],
    {"a": {"b": print}},
    {Path("x"): 1},
    1j,
]


@pytest.mark.parametrize("value", PLAIN, ids=repr)
def test_plain_values(value: Any) -> None:
    assert is_plain(value)


@pytest.mark.parametrize("value", NOT_PLAIN, ids=repr)
def test_objects_are_not_plain(value: Any) -> None:
    assert not is_plain(value)


def test_plain_entries_leave_objects_out() -> None:
    values = HParams(width=3, loss=nn.MSELoss(), nested={"a": [1]}, where=Path("x"))
    kept = plain_entries(values)
    assert kept == {"width": 3, "nested": {"a": [1]}}
    assert type(kept) is dict


@pytest.mark.parametrize("value", PLAIN, ids=repr)
def test_what_is_plain_is_read_again(path: Path, value: Any) -> None:
    """Else the script writes checkpoints that it then calls damaged."""
    entries = plain_entries({"value": value})
    write_checkpoint(path, {"rng_states": [], "hyper_parameters": entries})
    assert same(read_checkpoint(path)["hyper_parameters"], entries)


HERE = Path("here")


class Kept(TrainModule):
    def __init__(self, width: int = 3, where: Path | None = None, beside: Path = HERE) -> None:
        super().__init__()
        self.hparams = HParams(width=width, where=where, beside=beside)
        self.weight, self.bias = nn.Parameter(torch.zeros(2, 2)), nn.Parameter(torch.zeros(2))


def test_objects_that_are_defaults_are_not_missed() -> None:
    assert left_out(Kept(4)) == []
    with pytest.warns(UserWarning, match="do not hold the hyperparameter where, an object"):
        assert left_out(Kept(4, Path("x"))) == ["where"]


def test_a_model_is_not_loaded_with_a_default_in_the_place_of_what_was_left_out(path: Path) -> None:
    model = Kept(4, Path("x"))
    with pytest.warns(UserWarning, match="where"):
        kept = {"hyper_parameters": plain_entries(model.hparams), "left_out": left_out(model)}
    write_checkpoint(path, a_checkpoint() | kept)
    with pytest.raises(TypeError, match="does not hold where: give it too"):
        Kept.load_from_checkpoint(path)
    loaded = Kept.load_from_checkpoint(path, where=Path("y"))
    assert loaded.hparams == {"width": 4, "where": Path("y"), "beside": HERE}


class Told(TrainModule):
    def __init__(self, config: Any) -> None:
        super().__init__()
        self.hparams = HParams(config)
        self.weight, self.bias = nn.Parameter(torch.zeros(2, 2)), nn.Parameter(torch.zeros(2))


def test_what_one_argument_lacks_is_told(path: Path) -> None:
    """It holds more than the class asks for, maybe."""
    model = Told({"width": torch.Size([3]), "where": Path("x")})
    with pytest.warns(UserWarning, match="where"):
        kept = {"hyper_parameters": plain_entries(model.hparams), "left_out": left_out(model)}
    write_checkpoint(path, a_checkpoint() | kept | {"hparams_name": "config"})
    with pytest.warns(UserWarning, match="does not hold where: give config too"):
        assert Told.load_from_checkpoint(path).hparams == {"width": torch.Size([3])}
    assert Told.load_from_checkpoint(path, config={"width": 2}).hparams == {"width": 2}


class Numbers(DataModule):
    has_state = False

    def __init__(self, count: int, batch_size: int = 2) -> None:
        self.hparams = HParams(count=count, batch_size=batch_size)


def test_data_of_a_training_without_it_is_not_made_with_defaults(path: Path) -> None:
    write_checkpoint(path, a_checkpoint() | {"hyper_parameters": {"count": 3}})
    with pytest.raises(TypeError, match="does not hold batch_size: give it too"):
        Numbers.load_from_checkpoint(path, count=3)
    assert Numbers.load_from_checkpoint(path, count=3, batch_size=4).hparams["batch_size"] == 4
    saved = {"datamodule_hyper_parameters": {"count": 5, "batch_size": 3}}
    write_checkpoint(path, a_checkpoint() | saved)
    assert Numbers.load_from_checkpoint(path, batch_size=4).hparams == {"count": 5, "batch_size": 4}
