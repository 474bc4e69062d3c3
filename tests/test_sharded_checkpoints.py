"""Checkpoints of sharded models that are folders: runs go on from them bit for bit, and strangers' run no code."""

from __future__ import annotations

import json
import pickle
import random
import shutil
import zlib
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import torch
from click.testing import CliRunner
from ddpgen.cli import main
from ddpgen.strategies.checkpoints import sharded_checkpoint as sharded
from parity.differences import first_difference
from worlds import Runs, nameless

SPEC = """
strategy: fsdp
seed_everything: 1
fsdp: {wrap: [Block]}
trainer: {accumulate_grad_batches: 2, gradient_clip_val: 0.5}
checkpoint: {state: %s}
"""


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    """What two ranks, and three, have trained, at once and in halves."""
    runs = Runs(Path(__file__).with_name("fsdp"), tmp_path_factory.mktemp("runs"))
    for state in ("full", "sharded"):
        runs.build(state, SPEC % state, "--model", "Net")
        runs.build(f"main_{state}", SPEC % state, source="main.py")
        runs.add(f"train_main_{state}.py", cwd=f"in-main-{state}")
        runs.train(state, f"{state}-at-once", 4)
        runs.train(state, f"{state}-half-way", 2)
    runs.run()
    # what was being written when a run was ended is in the way of none
    (runs / "sharded-half-way/last.ckpt.partial").mkdir()
    shutil.copytree(runs / "full-half-way", runs / "from-a-file")
    for state in ("full", "sharded"):
        shutil.copytree(runs / f"{state}-half-way", runs / f"{state}-of-three")
    runs.train("sharded", "sharded-half-way", 4)
    runs.train("sharded", "from-a-file", 4)
    runs.run()
    for state in ("full", "sharded"):
        runs.train(state, f"{state}-of-three", 4)
    runs.run(3)
    return runs


def whole(path: Path) -> dict[str, Any]:
    return nameless(sharded.load_whole(path, *sharded.SHARED_PARTS))


@pytest.mark.processes
@pytest.mark.parametrize("name", ["sharded-at-once", "sharded-half-way", "from-a-file"])
def test_has_what_a_file_has(name: str, runs: Runs) -> None:
    """Also after going on from a folder, or from a file."""
    expected = whole(runs / "full-at-once/last.ckpt")
    assert (runs / name / "last.ckpt").is_dir()
    found = whole(runs / name / "last.ckpt")
    assert not (difference := first_difference(expected, found, name)), difference
    assert sorted(each.name for each in (runs / name).iterdir()) == ["last.ckpt", "metrics.jsonl", "run-id"]


@pytest.mark.processes
def test_each_rank_writes_its_share(runs: Runs) -> None:
    sizes = {each.name: each.stat().st_size for each in (runs / "sharded-at-once/last.ckpt").iterdir()}
    assert sizes.keys() == {".metadata", "rest.ckpt", "__0_0.distcp", "__1_0.distcp"}


@pytest.mark.processes
def test_three_ranks_go_on(runs: Runs) -> None:
    expected, found = (whole(runs / f"{state}-of-three/last.ckpt") for state in ("full", "sharded"))
    assert found["epoch"] == 3
    assert not (difference := first_difference(expected, found, "three")), difference


@pytest.mark.processes
def test_callbacks_keep_the_best(runs: Runs) -> None:
    """And remove folders; evaluations and `load_from_checkpoint` read what they keep."""
    told = [json.loads((runs / f"in-main-{state}/found.json").read_text()) for state in ("full", "sharded")]
    kept = [
        sorted(each.name for each in (runs / f"in-main-{state}/kept").iterdir())
        for state in ("full", "sharded")
    ]
    assert told[0] == told[1]
    assert kept[0] == kept[1]
    assert all(each.is_dir() for each in (runs / "in-main-sharded/kept").iterdir())


@pytest.mark.processes
def test_converts_to_a_file_and_back(runs: Runs, tmp_path: Path) -> None:
    """The file is what a script with `state: full` writes, so that ddp and Lightning go on from it."""
    folder, file, again = runs / "sharded-at-once/last.ckpt", tmp_path / "whole.ckpt", tmp_path / "again"
    for source, made in ((folder, file), (file, again)):
        result = CliRunner().invoke(main, ["convert", str(source), str(made)], catch_exceptions=False)
        assert result.output == f"wrote {made}\n"
    expected = nameless(torch.load(runs / "full-at-once/last.ckpt", weights_only=True))
    found = nameless(torch.load(file, weights_only=True))
    assert not (difference := first_difference(expected, found, "file")), difference
    assert [*found["state_dict"]] == [*expected["state_dict"]]
    assert not (difference := first_difference(expected, whole(again), "folder")), difference
    result = CliRunner().invoke(main, ["convert", str(folder), str(file)])
    assert (result.exit_code, "is there already" in result.output) == (1, True)


# ---- one process -----------------------------------------------------------------------------------------


class Bomb:
    def __init__(self, place: Path) -> None:
        self.place = place

    def __reduce__(self) -> Any:
        return Path.touch, (self.place,)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A checkpoint that one process has written."""
    states = [{"state": {0: {"step": torch.tensor(2.0)}}, "param_groups": [{"lr": 0.1}]}]
    checkpoint = {"state_dict": {"weight": torch.arange(6.0)}, "optimizer_states": states, "rng_states": []}
    sharded.write_shares(tmp_path / "last.ckpt", checkpoint)
    return tmp_path / "last.ckpt"


def write_metadata(folder: Path, content: Any) -> None:
    """With a checksum that is right."""
    data = pickle.dumps(content)
    (folder / ".metadata").write_bytes(data + zlib.crc32(data).to_bytes(4, "big"))


def test_a_pickle_in_the_list_of_tensors_is_not_run(folder: Path) -> None:
    place = folder.with_name("exploded")
    for content in (Bomb(place), {"state_dict_metadata": Bomb(place)}):
        write_metadata(folder, content)
        with pytest.raises(SystemExit, match=r"is damaged, or no checkpoint: .*touch is none of DCP's"):
            whole(folder)
        result = CliRunner().invoke(main, ["convert", str(folder), str(folder.with_name("whole"))])
        assert "could not be converted: " in result.output
        assert not place.exists()


def test_what_is_no_tensor_is_refused(folder: Path) -> None:
    """Torch would read it as a pickle."""
    with (folder / ".metadata").open("rb") as file:
        metadata = pickle.load(file)
    metadata.state_dict_metadata["state_dict.weight"] = sharded.Metadata({})
    write_metadata(folder, metadata)
    with pytest.raises(SystemExit, match=r"state_dict\.weight is no tensor"):
        whole(folder)


@pytest.mark.parametrize("name", [".metadata", "__0_0.distcp", "rest.ckpt"])
def test_a_damaged_folder_is_told(name: str, folder: Path) -> None:
    (folder / name).write_bytes((folder / name).read_bytes()[:40])
    with pytest.raises(SystemExit, match="is damaged, or no"):
        sharded.stored_weights(torch.nn.Linear(6, 1), sharded.read_shares_of(folder))


@pytest.mark.filterwarnings("ignore")  # torch's, on what it finds
def test_no_flipped_bit_changes_what_is_loaded(folder: Path) -> None:
    expected, refused = whole(folder), 0
    files = {each: each.read_bytes() for each in folder.iterdir()}
    places = [(path, bit) for path, data in files.items() for bit in range(len(data) * 8)]
    for path, bit in random.Random(0).sample(places, 300):
        changed, found = bytearray(files[path]), None
        changed[bit // 8] ^= 1 << bit % 8
        path.write_bytes(changed)
        with suppress(SystemExit, Exception):
            found = whole(folder)
        refused += found is None
        assert found is None or not first_difference(expected, found, f"bit {bit} of {path.name}")
        path.write_bytes(files[path])
    assert refused > 150


def test_one_is_replaced_when_the_next_is_whole(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checkpoint = whole(folder)
    checkpoint["state_dict"]["weight"] += 1

    def stopped(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(sharded.state_dict_saver, "save", stopped)
        with pytest.raises(KeyboardInterrupt):
            sharded.write_shares(folder, checkpoint)
    assert whole(folder)["state_dict"]["weight"][0] == 0
    folder.rename(folder.with_name("last.ckpt.replaced"))  # as far as a run may have come
    sharded.bring_back(folder)
    assert whole(folder)["state_dict"]["weight"][0] == 0
    sharded.write_shares(folder, checkpoint)
    assert whole(folder)["state_dict"]["weight"][0] == 1
    assert [each.name for each in folder.parent.iterdir()] == ["last.ckpt"]


def test_without_a_sharded_model_it_has_no_meaning(tmp_path: Path) -> None:
    (tmp_path / "ddp.yaml").write_text("checkpoint: {state: sharded}")
    shutil.copy(Path(__file__).with_name("fsdp") / "model.py", tmp_path)
    arguments = ["build", str(tmp_path / "model.py"), "--strategy", str(tmp_path / "ddp.yaml")]
    result = CliRunner().invoke(main, arguments)
    assert "`state: sharded` has no meaning without `strategy: fsdp`" in result.output
