"""`ddpgen verify`: it finds nothing where scripts train as Lightning does, and names what was planted where it was."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from ddpgen.cli import main
from ddpgen.spec.load import load_spec
from ddpgen.verify.mirror import Mirror
from ddpgen.verify.plan import Plan
from ddpgen.verify.processes import run_side
from ddpgen.verify.report import Verdict, read_verdict
from ddpgen.verify.verify import Request, prepare
from worlds import environment, exit_codes, free_ports, program

MODEL = """\
import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.Tanh(), nn.Linear(8, 1))

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = nn.functional.mse_loss(self.layers(x), y)
        self.log("train_loss", loss, on_step=True, on_epoch=True)
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        self.log("val_loss", nn.functional.mse_loss(self.layers(x), y), sync_dist=True)

    def configure_optimizers(self):
        optimizer = torch.optim.SGD(self.parameters(), lr=0.1)
        return [optimizer], [torch.optim.lr_scheduler.StepLR(optimizer, 1, 0.5)]

    def data(self):
        x = torch.rand(48, 6, generator=torch.Generator().manual_seed(1))
        return TensorDataset(x, x.sum(1, keepdim=True))

    def train_dataloader(self):
        return DataLoader(self.data(), batch_size=4, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.data(), batch_size=8)
"""

SPEC = """\
strategy: ddp
seed_everything: 3
trainer: {max_epochs: 3, accumulate_grad_batches: 2, log_every_n_steps: 1, enable_progress_bar: false}
"""

# With two ranks an epoch has six batches of each, and so three steps.
PLANTED = {
    "nothing": ("", ""),
    "learning_rate": ("lr=0.1)", "lr=0.1001)"),
    "no_sync": ("return step.no_sync()", "return nullcontext()"),
    "scheduler": ("    scheduler.step()\n", "    [scheduler.step() for _ in range(1 + (epoch == 0))]\n"),
    "batch_norm": ("step, gradient_as_bucket_view=True)", "step, broadcast_buffers=False)"),
    "metric": ('"val_loss", nn.functional.mse_loss(', '"val_loss", 2 * nn.functional.mse_loss('),
    "forgotten_metric": ('        self.log("train_loss", loss, on_step=True, on_epoch=True)\n', ""),
    "fewer_steps": ("range(first_epoch, config.max_epochs % 2**31)", "range(first_epoch, 2)"),
}  # fmt: skip


@dataclass
class Runs:
    """One run under Lightning, and one for each script."""

    folder: Path
    world: int
    steps: int

    def verdict(self, name: str, reference: str = "lightning") -> Verdict:
        return read_verdict(self.folder / reference, self.folder / name, self.world, self.steps)


def planned_cli(folder: Path, world: int, steps: int) -> Plan:
    home = folder / "cli_moons"
    shutil.copytree(Path(__file__).parents[1] / "generated_examples" / "cli_moons", home)
    described = (home / "ddp.yaml").read_text()
    assert "        patience: 3\n" in described
    (home / "ddp.yaml").write_text(described.replace("patience: 3", "divergence_threshold: .inf"))
    # under which name LightningCLI itself would save what it was told
    loaded = load_spec(str((home / "ddp.yaml").rename(home / "config.yaml")))
    return prepare(Request(home / "main.py", loaded, world=world, steps=steps), folder / "mirror_of_cli")


OBJECTS = SPEC + """
optimizer: {class_path: Adam, init_args: {lr: 0.02, betas: [0.8, 0.9]}}
lr_scheduler: {class_path: ReduceLROnPlateau, init_args: {monitor: val_loss, patience: 0}}
"""


def planned_objects(folder: Path, world: int, steps: int) -> Plan:
    """A file without any Trainer, whose spec describes objects."""
    model, spec = folder / "objects" / "model.py", folder / "objects" / "ddp.yaml"
    model.parent.mkdir()
    model.write_text(MODEL)
    stopping = "{class_path: EarlyStopping, init_args: {monitor: val_loss}}"
    spec.write_text(OBJECTS.replace("trainer: {", f"trainer: {{callbacks: [{stopping}, Timer], "))
    return prepare(
        Request(model, load_spec(str(spec)), world=world, steps=steps), folder / "mirror_of_objects"
    )


def planned(folder: Path, world: int, steps: int) -> Plan:
    model, spec = folder / "home" / "model.py", folder / "home" / "ddp.yaml"
    model.parent.mkdir()
    model.write_text(MODEL)
    spec.write_text(SPEC)
    return prepare(Request(model, load_spec(str(spec)), world=world, steps=steps), folder / "mirror")


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    """All in one group of processes."""
    folder, world, steps = tmp_path_factory.mktemp("verify"), 2, 20
    plan = planned(folder, world, steps)
    reference = folder / "lightning"
    jobs = [plan.lightning_job(reference)]
    built = plan.mirror.place(plan.script)
    for name, (before, after) in PLANTED.items():
        assert before in built.read_text()
        program = built.with_name(f"{name}.py")
        program.write_text(built.read_text().replace(before, after))
        jobs.append(plan.script_job(folder / name, reference) | {"program": str(program)})
    cli = planned_cli(folder, world, steps)
    jobs += [cli.lightning_job(folder / "cli"), cli.script_job(folder / "of_cli", folder / "cli")]
    objects = planned_objects(folder, world, steps)
    jobs += [objects.lightning_job(folder / "objects_told")]
    jobs += [objects.script_job(folder / "of_objects", folder / "objects_told")]
    run_jobs(folder, jobs, world)
    return Runs(folder, world, steps)


def run_jobs(folder: Path, jobs: list[dict[str, object]], world: int) -> None:
    for job, port in zip(jobs, free_ports(), strict=False):
        Path(str(job["folder"])).mkdir()
        job["port"] = port
    file = folder / "jobs.json"
    file.write_text(json.dumps(jobs))
    runner, log = Path(__file__).with_name("verify_runner.py"), folder / "log.txt"
    quiet = {"OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": ""}
    ranks = [
        program([runner, file], {**environment(rank, world), **quiet}, output=log) for rank in range(world)
    ]
    assert exit_codes(ranks) == [0] * world, log.read_text()
    failures = "\n".join(file.read_text() for file in folder.glob("*/failure.*.txt"))
    assert not failures, failures


# ---- what is found ---------------------------------------------------------------------------------------

processes = pytest.mark.processes


@processes
def test_a_script_as_it_was_built_is_equal_in_all(runs: Runs) -> None:
    verdict = runs.verdict("nothing")
    assert verdict.is_equal
    # of two ranks: nine steps of two batches each; four layers' parameters, a BatchNorm's three buffers
    compared = {row.kind: row.compared for row in verdict.rows}
    assert compared == {
        "optimizer steps": 18,
        "loss": 36,
        "learning rate": 18,
        "gradient": 18 * 6,
        "weight": 18 * 6,
        "buffer": 18 * 3,
        "metric": 9 + 3 + 3,
    }


@processes
def test_a_main_of_lightnings_cli_is_given_its_settings(runs: Runs) -> None:
    verdict = runs.verdict("of_cli", "cli")
    assert verdict.is_equal
    assert verdict.steps == runs.steps


@processes
def test_objects_that_the_spec_describes(runs: Runs) -> None:
    verdict = runs.verdict("of_objects", "objects_told")
    assert verdict.is_equal
    assert verdict.steps == 9


FOUND = {
    # what differs, from which step on, and its name; and what stays equal
    "learning_rate": ("learning rate", 1, "group 0", {"optimizer steps"}),
    "no_sync": ("gradient", 1, None, {"optimizer steps", "learning rate"}),
    "scheduler": ("learning rate", 4, "group 0", {"optimizer steps"}),
    # DDP hands buffers out in the first forward after gradients were shared
    "batch_norm": ("buffer", 2, "layers.1.running_mean", {"optimizer steps", "learning rate"}),
    "metric": (
        "metric",
        2,
        "val_loss",
        {"optimizer steps", "loss", "learning rate", "gradient", "weight", "buffer"},
    ),
    "forgotten_metric": (
        "metric",
        0,
        "train_loss_step",
        {"optimizer steps", "loss", "learning rate", "gradient", "weight", "buffer"},
    ),
    "fewer_steps": (
        "optimizer steps",
        7,
        "",
        {"loss", "learning rate", "gradient", "weight", "buffer"},
    ),
}


@processes
@pytest.mark.parametrize("name", FOUND)
def test_what_was_planted_is_found_where_it_was(name: str, runs: Runs) -> None:
    kind, step, value, equal = FOUND[name]
    verdict = runs.verdict(name)
    assert not verdict.is_equal
    row = verdict.row(kind)
    assert row.step == step, row
    assert value in (None, row.name), row
    assert equal <= {row.kind for row in verdict.rows if not row.difference}


@processes
def test_differences_are_told_apart_by_their_first_step(runs: Runs) -> None:
    """What follows from another comes a step later, or on the rank that has it."""
    rate = runs.verdict("learning_rate")
    assert (rate.row("weight").step, rate.row("loss").step, rate.row("gradient").step) == (1, 2, 2)
    assert "0.1 under Lightning, 0.1001 in the script: off by 0.0001" in rate.row("learning rate").difference
    assert runs.verdict("scheduler").row("weight").step == 4
    assert "on rank 1" in runs.verdict("batch_norm").row("buffer").difference
    assert "of 48 values, off by up to" in runs.verdict("no_sync").row("gradient").difference
    assert "18 under" not in runs.verdict("fewer_steps").row("optimizer steps").difference
    assert (
        "9 under Lightning, 6 in the script" in runs.verdict("fewer_steps").row("optimizer steps").difference
    )


# ---- the command -----------------------------------------------------------------------------------------

MAIN = MODEL + """

def main(args):
    L.seed_everything(args.seed)
    print(open("notes.txt").read(), (Path(__file__).parent / "beside.txt").read_text())
    Path("notes.txt").write_text("written over")
    Path("new.txt").write_text("new")
    torch.save(1, "kept.pt")
    trainer = L.Trainer(max_epochs=args.epochs, enable_progress_bar=False)
    assert not Path("trained.txt").exists()
    trainer.fit(Net())
    Path("trained.txt").write_text("as a checkpoint that one would go on from")


if __name__ == "__main__":
    parser = ArgumentParser()
    parser.add_argument("--seed", type=int)
    parser.add_argument("--epochs", type=int)
    main(parser.parse_args())
"""


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["verify", *arguments], catch_exceptions=False)


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@processes
def test_a_main_of_ones_own_with_two_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By torchrun, with arguments; it finds the files it reads; what it writes is gone, for the script already."""
    home = tmp_path / "home"
    home.mkdir()
    (home / "train.py").write_text("from argparse import ArgumentParser\nfrom pathlib import Path\n\n" + MAIN)
    for name in ("notes.txt", "beside.txt", "kept.pt", "setup.py"):
        (home / name).write_text(name)
    before = contents(tmp_path)
    monkeypatch.chdir(home)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    done = invoke("train.py", "--steps", "6", "--", "--seed", "5", "--epochs", "1")
    assert done.exit_code == 0, done.output
    assert done.output.startswith("This runs the code in train.py: 2 processes, 6 optimizer steps at most")
    assert "differ" not in done.output
    assert "\x1b" not in done.output
    assert contents(tmp_path) == before


def test_code_that_fails_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the places where it stands, not those in the mirror."""
    (tmp_path / "model.py").write_text(MODEL)

    def fails(job: dict[str, str], folder: Path) -> str:
        return f'Traceback ...\n  File "{job["program"]}", line 3'

    monkeypatch.setattr(sys.modules["ddpgen.verify.verify"], "run_side", fails)
    done = invoke(str(tmp_path / "model.py"), "--nproc", "1")
    assert done.exit_code == 1
    assert f'File "{tmp_path / "model.py"}", line 3\n\nYour code under Lightning failed.' in done.output


def test_tracebacks_are_found_and_what_was_printed_without_any(tmp_path: Path) -> None:
    """A process that cannot even start leaves what it printed."""
    text = run_side({"world": 1, "side": "lightning"}, tmp_path / "run")
    assert "KeyError: 'folder'" in text


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_what_was_started_ends_with_what_started_it(number: int, tmp_path: Path) -> None:
    """And its folder is gone; the processes are stand-ins that would not end by themselves."""
    (tmp_path / "model.py").write_text(MODEL)
    (tmp_path / "pyproject.toml").touch()  # the project ends here
    (tmp_path / "tmp").mkdir()
    started = tmp_path / "started"
    stand_in = f"import os, time; open({os.fspath(started)!r}, 'w').write(str(os.getpid())); time.sleep(600)"
    code = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler);"
        "import ddpgen.verify.processes as processes; from ddpgen.cli import main;"
        f"processes._command = lambda world, program, file: [sys.executable, '-c', {stand_in!r}];"
        "main(['verify', 'model.py'])"
    )
    environment = {**os.environ, "TMPDIR": os.fspath(tmp_path / "tmp")}
    process = subprocess.Popen([sys.executable, "-c", code], cwd=tmp_path, env=environment)
    deadline = time.monotonic() + 60
    while not (started.exists() and started.read_text()) and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(number)
    assert process.wait(timeout=60) != 0
    with pytest.raises(ProcessLookupError):
        os.kill(int(started.read_text()), 0)
    assert not list((tmp_path / "tmp").iterdir())


def test_without_lightning_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "model.py").write_text(MODEL)
    module = sys.modules["ddpgen.verify.verify"]
    monkeypatch.setattr(module, "find_spec", lambda name: None if name == "lightning" else object())
    done = invoke(str(tmp_path / "model.py"))
    assert done.exit_code == 1
    assert "`lightning` is not installed here. `pip install 'ddpgen[verify]'`" in done.output


def test_one_process_alone(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(MODEL)
    done = invoke(str(tmp_path / "model.py"), "--strategy", "single", "--nproc", "2")
    assert done.exit_code == 1
    assert "trains in one process, not in 2" in done.output


@pytest.mark.parametrize(
    "setting",
    [
        "ddp: {comm_hook: fp16}",
        "data_parallel_group: 1",
        "ddp: {join: true}",
        "ddp: {local_sgd: {}}",
        "loss: sum",
        "compile: true",
    ],
)
def test_settings_with_which_the_two_are_meant_to_differ(setting: str, tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(MODEL)
    (tmp_path / "spec.yaml").write_text(f"{setting}\n")
    strategy = ("--strategy", str(tmp_path / "spec.yaml"))
    done = invoke(str(tmp_path / "model.py"), *strategy, "--nproc", "2")
    assert done.exit_code == 1
    assert "Verify without it." in done.output


@pytest.mark.parametrize(
    ("spec", "world", "part"),
    [
        ("strategy: fsdp", "2", "Verify with `--nproc 1`"),
        ("{strategy: fsdp, fsdp: {mixed_precision: {param_dtype: bfloat16}}}", "1", "Verify without it."),
        ("strategy: model_parallel", "1", "under which the model has no `device_mesh`"),
    ],
)
def test_sharded_models_that_lightning_has_otherwise(
    spec: str, world: str, part: str, tmp_path: Path
) -> None:
    (tmp_path / "model.py").write_text(MODEL)
    (tmp_path / "spec.yaml").write_text(f"{spec}\n")
    strategy = ("--strategy", str(tmp_path / "spec.yaml"))
    done = invoke(str(tmp_path / "model.py"), *strategy, "--nproc", world)
    assert done.exit_code == 1
    assert part in done.output


def test_a_script_that_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(MODEL)
    done = invoke(str(tmp_path / "model.py"), "--script", str(tmp_path / "train.py"))
    assert done.exit_code == 1
    assert "`ddpgen build` writes one" in done.output


def test_a_script_in_which_a_conflict_stands(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(MODEL)
    script = tmp_path / "train.py"
    script.write_text("x = 1\n<<<<<<< your edits\ny = 1\n=======\ny = 2\n>>>>>>> today's script\n")
    done = invoke(str(tmp_path / "model.py"), "--script", str(script))
    assert done.exit_code == 1
    assert "train.py:2:1: error[conflict-stands]" in done.output


# ---- the mirror ------------------------------------------------------------------------------------------


@pytest.fixture
def user(tmp_path: Path) -> Path:
    folder = tmp_path / "user"
    for path, text in {
        "pkg/model.py": "model",
        "data/a.csv": "a",
        ".venv/lib/x.py": "x",
        "env/pyvenv.cfg": "",
        ".git/HEAD": "ref",
    }.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return folder


def test_a_mirror_shows_everything_and_keeps_what_is_written(user: Path, tmp_path: Path) -> None:
    before = contents(user)
    mirror = Mirror(tmp_path / "mirror")
    mirror.fill([user])
    assert {name: mirror.place(user / name).read_bytes() for name in before} == before
    # modules find themselves in the mirror, whatever links they follow
    assert mirror.place(user / "pkg" / "model.py").resolve().is_relative_to(mirror.folder)
    assert not mirror.place(user / "data").is_symlink()
    assert mirror.place(user / ".git").is_symlink()
    (mirror.place(user / "data") / "new.csv").write_text("new")
    assert contents(user) == before
    assert mirror.as_users(f"in {mirror.place(user)}") == f"in {user}"


def test_large_folders_are_linked(user: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ddpgen.verify.mirror.MAX_FOLDERS", 0)
    mirror = Mirror(tmp_path / "mirror")
    mirror.fill([user], [user / "pkg"])
    assert mirror.place(user / "data").is_symlink()
    assert not mirror.place(user / "pkg").is_symlink()
    assert mirror.place(user / "pkg" / "model.py").read_text() == "model"


def test_what_stands_beside_a_project_is_linked_and_unread(
    user: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Up to the machine's root: `../data` leads to where it does for the user."""
    looked_into = []
    scandir = os.scandir
    monkeypatch.setattr("os.scandir", lambda folder: looked_into.append(Path(folder)) or scandir(folder))
    monkeypatch.setattr("shutil.copyfile", lambda *paths: pytest.fail(f"{paths} is read"))
    (user / "beside.py").write_text("beside")
    (user / "pkg" / "model.py").unlink()
    mirror = Mirror(tmp_path / "mirror")
    mirror.fill([user / "pkg"])
    assert set(looked_into) == {user / "pkg", *(user / "pkg").parents}
    assert mirror.place(user / "data").is_symlink()
    assert mirror.place(user / "beside.py").is_symlink()
    assert (mirror.place(user / "pkg") / ".." / "data" / "a.csv").read_text() == "a"
    assert all((mirror.folder / name).is_symlink() for name in ("usr", "proc") if Path("/", name).exists())


def test_of_where_programs_start_what_stands_right_there(user: Path, tmp_path: Path) -> None:
    (user / "train.py").write_text("train")
    mirror = Mirror(tmp_path / "mirror")
    mirror.fill([user / "pkg"], [user])
    assert not mirror.place(user / "train.py").is_symlink()
    assert mirror.place(user / "data").is_symlink()
    assert not mirror.place(user / "pkg").is_symlink()


def planned_from(cwd: Path, model: Path, monkeypatch: pytest.MonkeyPatch, folder: Path) -> Plan:
    for each in (cwd, model.parent):
        each.mkdir(parents=True, exist_ok=True)
    model.write_text(MODEL)
    monkeypatch.chdir(cwd)
    return prepare(Request(model, load_spec("ddp")), folder)


def test_a_model_in_one_corner_of_home_and_a_shell_in_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What else stands in the home folder is linked, though git keeps track of it."""
    home = tmp_path / "home"
    for name in (".git", "photos/2024", "work/other"):
        (home / name).mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    plan = planned_from(home / "notes", home / "work" / "net" / "model.py", monkeypatch, tmp_path / "mirror")
    mirror = plan.mirror
    assert not mirror.place(home / "notes").is_symlink()
    assert not mirror.place(plan.program).is_symlink()
    assert mirror.place(plan.script).read_text().startswith('"""')
    linked = (home / "photos", home / "work" / "other", home / ".git")
    assert all(mirror.folder.joinpath(*each.parts[1:]).is_symlink() for each in linked)


HOSTILE = ("round.py", "gone.py", "pipe.py", "socket.py", "closed", "closed.py")


@pytest.fixture
def shared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A temporary folder that others use, too; also for a superuser some of what stands there is closed."""
    folder = tmp_path / "tmp"
    access, copyfile = os.access, shutil.copyfile

    def closed(path: Path, copy: Path, **options: bool) -> None:
        if Path(path).name == "closed.py":
            raise PermissionError(path)
        copyfile(path, copy, **options)

    monkeypatch.setattr("tempfile.tempdir", str(folder))
    monkeypatch.setattr("os.access", lambda path, mode: Path(path).name != "closed" and access(path, mode))
    monkeypatch.setattr("shutil.copyfile", closed)
    return folder


def make_hostile(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder.mkdir(parents=True)
    monkeypatch.chdir(folder)
    Path("round.py").symlink_to("round.py")
    Path("gone.py").symlink_to("never")
    os.mkfifo("pipe.py")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("socket.py")
    Path("closed").mkdir()
    for name in ("closed.py", "setup.py"):
        Path(name).touch()


def test_neighbours_in_the_temporary_folder(shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Links in a circle or to nowhere, pipes, sockets, what is closed: in it, and in the project itself."""
    project = shared / "project"
    for folder in (shared, project):
        make_hostile(folder, monkeypatch)
    plan = planned_from(project / "runs", project / "model.py", monkeypatch, shared / "ddpgen")
    mirror = plan.mirror
    for folder in (shared, project):
        assert all((mirror.place(folder) / name).is_symlink() for name in HOSTILE)
    mirror.store(shared / "untouched")
    mirror.restore(shared / "untouched")
    assert (mirror.place(project) / "pipe.py").is_symlink()


def test_a_mirror_within_a_project_does_not_show_itself(user: Path) -> None:
    mirror = Mirror(user / "tmp" / "mirror")
    mirror.fill([user])
    assert not mirror.place(user / "tmp").exists()


WRITING = """\
import os, shutil, sqlite3, sys
from pathlib import Path
from ddpgen.watch.mirrored import copy_before_writing

copy_before_writing(Path(sys.argv[1]))
print(open("data/a.csv").read())
open("data/a.csv", "a").write("b")
open(".git/HEAD").read()
open("env/pyvenv.cfg", "w").write("over")
Path("env/lib/more").mkdir()
os.rename("env/lib/x.py", "env/lib/y.py")
shutil.rmtree(".venv/lib")
connection = sqlite3.connect("data/rows.db")
connection.execute("create table rows (name text)")
connection.close()
"""


def test_what_is_written_to_is_copied_first(user: Path, tmp_path: Path) -> None:
    """Folders that are linked whole, too; in a process of its own, as the hook cannot be taken out again."""
    (user / "env" / "lib").mkdir()
    (user / "env" / "lib" / "x.py").write_text("x")
    (user / "data" / "rows.db").touch()
    before = contents(user)
    mirror = Mirror(tmp_path / "mirror")
    mirror.fill([user])
    place = mirror.place(user)
    assert (place / "env").is_symlink()
    subprocess.run([sys.executable, "-c", WRITING, mirror.folder], cwd=place, check=True, env=os.environ)
    assert (place / "data" / "a.csv").read_text() == "ab"
    assert (place / "env" / "pyvenv.cfg").read_text() == "over"
    assert sorted(path.name for path in (place / "env" / "lib").iterdir()) == ["more", "y.py"]
    assert not (place / ".venv" / "lib").exists()
    assert contents(user) == before
