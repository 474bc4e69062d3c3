"""Runs whose files lie in a bucket: killed, they go on from there to the bits of a run that never stopped."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import redirect_stdout, suppress
from functools import partial
from pathlib import Path
from typing import Any

import fsspec
import pytest
import torch
from click.testing import CliRunner
from ddpgen import build
from ddpgen.cli import main
from ddpgen.strategies.checkpoints.remote import RemotePath, read_remote
from moto.server import ThreadedMotoServer
from parity.differences import first_difference
from worlds import Runs, nameless, ran

SPECS = {
    1: "checkpoint: {dir: 's3://bucket/runs/x'}",
    2: "checkpoint: {dir: 's3://bucket/runs/x', every_n_steps: 3, keep: 2, async: true}",
}
"""By the number of processes."""

REST = "\nseed_everything: 5\ntrainer: {max_epochs: 3, log_every_n_steps: 1}"
STEPS = {1: 24, 2: 12}
KILLED_AT = {1: 21, 2: 10}
EPOCH_OF_IT = {1: 16, 2: 8}


@pytest.fixture(scope="module")
def bucket() -> Iterator[str]:
    """One on a server of this process, which others find by their environment."""
    server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    settings = {
        "AWS_ENDPOINT_URL": f"http://{host}:{port}",
        "AWS_ACCESS_KEY_ID": "anyone",
        "AWS_SECRET_ACCESS_KEY": "anything",
        "AWS_DEFAULT_REGION": "us-east-1",
    }
    with pytest.MonkeyPatch.context() as patch:
        for name, value in settings.items():
            patch.setenv(name, value)
        fsspec.filesystem("s3").mkdir("bucket")
        yield "s3://bucket"
    server.stop()


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    """A script for one process, one for two, and one of a main."""
    runs = Runs(Path(__file__).with_name("remote_places"), tmp_path_factory.mktemp("remote"))
    for world, spec in SPECS.items():
        runs.build(f"{world}", spec + REST)
    runs.build("main", "strategy: ddp", source="main.py")
    return runs


@pytest.fixture(scope="module")
def runs(built: Runs, bucket: str) -> Runs:
    """Runs that were never stopped, and such as were killed and went on, with one process and with two."""
    for world in SPECS:
        starts = {"whole": [{}], "killed": [{"KILLED_AT": str(KILLED_AT[world])}, {}]}
        for kind, environments in starts.items():
            for environment in environments:
                options = ("--out", f"{bucket}/{kind}-{world}", "--resume")
                built.add(f"train_{world}.py", *options, cwd=f"{kind}-{world}")
                built.jobs[-1]["environment"] = environment
                if world == 2:
                    built.add("train_main.py", kind, f"{bucket}/main-{kind}", cwd=f"main-{kind}")
                    built.jobs[-1]["environment"] = environment
        built.run(world)
    return built


def names(folder: str) -> list[str]:
    """What lies there."""
    fs, path = fsspec.core.url_to_fs(folder)
    fs.invalidate_cache()
    return sorted(each.removeprefix(f"{path}/") for each in fs.find(path))


@pytest.mark.processes
@pytest.mark.parametrize("world", SPECS)
def test_a_killed_run_ends_with_the_same_bits(world: int, runs: Runs, bucket: str) -> None:
    """Checkpoint and metrics; it went on from what was saved, and nothing else is left."""
    whole, killed = (RemotePath(f"{bucket}/{kind}-{world}") for kind in ("whole", "killed"))
    expected, found = (nameless(read_remote(each / "last.ckpt")) for each in (whole, killed))
    assert found["global_step"] == STEPS[world]
    assert not (difference := first_difference(expected, found, f"{world}")), difference
    rows = (whole / "metrics.jsonl").read_text()
    assert (killed / "metrics.jsonl").read_text() == rows
    assert len(rows.splitlines()) == STEPS[world] + 3 * 2
    first = step_after_the_kill(runs / f"killed-{world}", world)
    assert first in range(EPOCH_OF_IT[world], KILLED_AT[world] if world == 2 else EPOCH_OF_IT[world] + 1)
    left = ["last.ckpt", "metrics.jsonl", "run-id"]
    assert names(str(killed)) == (["last-1.ckpt", *left] if world == 2 else left)


def step_after_the_kill(folder: Path, world: int) -> int:
    """With which step a run went on; each rank notes each step before it is done."""
    steps = [int(each) for each in (folder / "steps").read_text().split()]
    assert max(steps[: KILLED_AT[world] * world]) == KILLED_AT[world] - 1
    return steps[KILLED_AT[world] * world]


@pytest.mark.processes
def test_callbacks_keep_the_best_there(runs: Runs, bucket: str) -> None:
    """With two processes; what the killed run kept is found by name, gone on from, and replaced."""
    kept = names(f"{bucket}/kept-whole")
    assert len(kept) == 3
    assert names(f"{bucket}/kept-killed") == kept
    assert step_after_the_kill(runs / "main-killed", 2) == EPOCH_OF_IT[2]
    for name in kept:
        expected, found = (
            nameless(read_remote(RemotePath(f"{bucket}/kept-{kind}/{name}"))) for kind in ("whole", "killed")
        )
        for each in (expected, found):
            each.pop("callbacks")  # which have other paths
        assert not (difference := first_difference(expected, found, name)), difference


# ---- files -----------------------------------------------------------------------------------------------


class Killed(BaseException):
    """Where a process would be no more."""


class Dying:
    """A file system that ends at an operation on files; stores alone write whole files."""

    OPERATIONS = ("pipe_file", "mv", "rm_file")

    def __init__(self, fs: Any, left: Iterator[int], is_store: bool) -> None:
        self.fs, self.left, self.is_store = fs, left, is_store

    def __getattr__(self, name: str) -> Any:
        return partial(self.operate, name) if name in self.OPERATIONS else getattr(self.fs, name)

    def operate(self, name: str, path: str, *arguments: Any) -> None:
        if next(self.left, None) is None:
            if name == "pipe_file" and not self.is_store:
                self.fs.pipe_file(path, arguments[0][: len(arguments[0]) // 2])
            raise Killed
        getattr(self.fs, name)(path, *arguments)


def dying(found: tuple[Any, str], left: Iterator[int], url: str) -> tuple[Dying, str]:
    return Dying(found[0], left, url.startswith("s3")), found[1]


Place = tuple[dict[str, Any], RemotePath]
"""What a script for such places defines, and one of them."""


@pytest.fixture(params=["s3://bucket{}", "memory:/{}", "file://{}", "{}"])
def place(request: pytest.FixtureRequest, built: Runs, bucket: str, tmp_path: Path) -> Place:
    script: dict[str, Any] = {"__name__": __name__}  # a module that there is, for dataclasses
    exec(compile((built / "train_2.py").read_text(), "train_2.py", "exec", dont_inherit=True), script)
    folder = script["RemotePath"](request.param.format(tmp_path / "files"))
    folder.mkdir(parents=True, exist_ok=True)
    return script, folder


def checkpoint(epoch: int) -> dict[str, Any]:
    return {"epoch": epoch, "rng_states": [], "state_dict": {"weight": torch.full((4000,), float(epoch))}}


def test_a_save_may_end_at_each_of_its_operations(place: Place) -> None:
    """A checkpoint that is whole is found then, the new one or that before, and the next is saved."""
    script, folder = place
    reached, alone = script["url_to_fs"], script["Ranks"](0, 0, 1)
    last = folder / "last.ckpt"
    for epoch, operations in enumerate([99, 99, *range(7)]):
        left = iter(range(operations))
        with pytest.MonkeyPatch.context() as patch, suppress(Killed):
            patch.setitem(script, "url_to_fs", lambda url, left=left: dying(reached(url), left, url))
            script["write_kept"](last, checkpoint(epoch), 2)
            assert operations > 3
        with redirect_stdout(io.StringIO()):
            newest = script["newest_intact"](last, 2, alone)
        found = script["read_remote"](newest)["epoch"]
        assert found == epoch if operations == 99 else found in (epoch, epoch - 1)
        script["write_kept"](last, checkpoint(epoch), 2)
        assert script["read_remote"](last)["epoch"] == epoch


def test_a_file_is_written_whole(place: Place) -> None:
    """Or it is as it was before."""
    script, folder = place
    reached, path = script["url_to_fs"], folder / "metrics.jsonl"
    path.write_text("before")
    for operations in range(2):
        left = iter(range(operations))
        with pytest.MonkeyPatch.context() as patch, suppress(Killed):
            patch.setitem(script, "url_to_fs", lambda url, left=left: dying(reached(url), left, url))
            path.write_text("after it")
        assert path.read_text() == ("after it" if operations and str(path).startswith("s3") else "before")
    path.write_text("after it")
    assert path.read_text() == "after it"


def test_damage_is_found(place: Place) -> None:
    script, folder = place
    script["write_kept"](folder / "a.ckpt", checkpoint(1), 2)
    fs, path = fsspec.core.url_to_fs(str(folder / "a.ckpt"))
    content = bytearray(fs.cat_file(path))
    content[len(content) // 2] ^= 1
    fs.pipe_file(path, bytes(content))
    with pytest.raises(SystemExit, match=r"a\.ckpt is damaged, or not this script's: .*a checksum is wrong"):
        script["read_remote"](folder / "a.ckpt")


def test_what_another_run_left_is_set_aside(place: Place) -> None:
    """A run that goes on keeps it, and adds its name to the folder's."""
    script, folder = place
    alone = script["Ranks"](0, 0, 1)
    first = script["claim_folder"](folder, alone, ["metrics.jsonl", "last*.ckpt"])
    (folder / "last.ckpt").write_text("first")
    assert script["claim_folder"](folder, alone, ["last*.ckpt"], True) == first
    assert len((folder / "run-id").read_text().split()) == 2
    assert script["claim_folder"](folder, alone, ["metrics.jsonl", "last*.ckpt"]) != first
    assert names(str(folder))[0].startswith("earlier/before-")
    aside = {Path(name).name for name in names(str(folder)) if name.startswith("earlier")}
    assert aside == {"last.ckpt", "run-id"}
    assert not (folder / "last.ckpt").exists()


# ---- what is said ----------------------------------------------------------------------------------------


def test_a_place_that_cannot_be_written_to_is_found_before_training(built: Runs, bucket: str) -> None:
    """The bucket is not made; one sentence says what is wrong."""
    code, said = ran(built / "train_1.py", "--out", "s3://other/x", folder=built.folder)
    assert code == 1
    assert said.splitlines() == ["cannot train in s3://other/x: The specified bucket does not exist"]
    assert not RemotePath("s3://other").exists()


def test_a_script_for_local_folders_says_so(tmp_path: Path) -> None:
    runs = Runs(Path(__file__).with_name("remote_places"), tmp_path)
    runs.build("local", "strategy: single")
    code, said = ran(runs / "train_local.py", "--out", "s3://bucket/x", folder=tmp_path)
    assert code == 1
    assert said.splitlines() == ["s3:/bucket/x is no folder: build with a URL as checkpoint.dir"]
    assert not (tmp_path / "s3:").exists()


REFUSED = {
    "checkpoint: {dir: 's3://b/x', lock: true}": "lock",
    "strategy: fsdp\nfsdp: {wrap: [Block]}\ncheckpoint: {dir: 's3://b/x', state: sharded}": "state: sharded",
    "checkpoint: {dir: 's3://b/x'}\nlogger: [tensorboard]": "logger",
    "checkpoint: {dir: 's3://b/x'}\ntrainer: {profiler: pytorch}": "profiler",
    "trainer: {default_root_dir: 's3://b/x', profiler: pytorch}": "profiler",
    (
        "checkpoint: {dir: 's3://b/x'}\ntrainer: {logger: {class_path: WandbLogger, init_args: {log_model: true}}}"
    ): "log_model",
    "trainer: {logger: {class_path: CSVLogger, init_args: {save_dir: 's3://b/x'}}}": "save_dir",
}


@pytest.mark.parametrize("spec", REFUSED)
def test_what_needs_local_folders_is_refused(spec: str, tmp_path: Path) -> None:
    """When the script is built, with what to choose instead."""
    (file := tmp_path / "spec.yaml").write_text(spec)
    model = Path(__file__).parent / "strategy_matrix" / "model.py"
    arguments = ["build", str(model), "--model", "Net", "--strategy", str(file), "-o", str(tmp_path / "x.py")]
    result = CliRunner().invoke(main, arguments, catch_exceptions=False)
    assert f"error[not-remote]: Places that are URLs, and `{REFUSED[spec]}`: " in result.output
    assert result.output.count("error[") == 1


def test_a_logger_that_a_trainer_makes_there_is_refused(tmp_path: Path) -> None:
    source = (Path(__file__).with_name("remote_places") / "model.py").read_text()
    (tmp_path / "model.py").write_text(
        source.replace("return loss", "self.logger.save()\n        return loss")
    )
    (tmp_path / "spec.yaml").write_text(SPECS[1])
    arguments = ["build", str(tmp_path / "model.py"), "--strategy", str(tmp_path / "spec.yaml")]
    result = CliRunner().invoke(main, arguments, catch_exceptions=False)
    assert "error[not-remote]: Places that are URLs, and `default logger`: " in result.output


def test_data_is_made_of_a_remote_checkpoint_too(tmp_path: Path) -> None:
    """As models are: both load files in one way."""
    project = Path(__file__).with_name("projects") / "main_data_loaded" / "main.py"
    model, spec = tmp_path / "main.py", tmp_path / "spec.yaml"
    model.write_text(project.read_text())
    spec.write_text("strategy: ddp\ncheckpoint: {dir: 'memory://kept'}\n")
    script = build(model, str(spec))
    assert "checkpoint = load_remote(checkpoint_path, map_location, weights_only)" in script
