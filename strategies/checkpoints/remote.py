"""Places that fsspec reaches, such as s3://bucket/runs: what stands there for what works with local files."""

import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from fnmatch import fnmatchcase
from glob import has_magic
from itertools import accumulate
from pathlib import PurePosixPath
from types import SimpleNamespace
from typing import Any
from zipfile import is_zipfile

import torch
from fsspec.core import url_to_fs

from .checkpoint import may_hold_objects, require_intact, tell_objects

OBJECT_STORES = {"s3", "s3a", "gs", "gcs", "az", "abfs", "abfss"}


def saves_remotely() -> bool:
    """Whether a run's files may lie elsewhere than in local folders."""
    return False


@contextmanager
def reached(url: str) -> Iterator[tuple[Any, str]]:
    """The file system of a place, and its path there; all errors are OSErrors."""
    try:
        fs, path = url_to_fs(url)
        fs.invalidate_cache()  # other processes write there, too
        yield fs, path
    except OSError:
        raise
    except Exception as error:  # each file system has its own
        raise OSError(str(error)) from error


class RemotePath:
    """A URL, such as s3://bucket/runs, with those methods of a local path that are used here."""

    def __init__(self, url: Any) -> None:
        text = str(url)
        self.url = text if text.endswith("://") else text.rstrip("/")

    def __str__(self) -> str:
        return self.url

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RemotePath) and self.url == other.url

    def __hash__(self) -> int:
        return hash(self.url)

    def __truediv__(self, name: str) -> Any:
        return RemotePath(f"{self.url}/{name}")

    @property
    def parts(self) -> list[str]:
        return self.url.split("/")

    @property
    def name(self) -> str:
        return self.parts[-1]

    @property
    def stem(self) -> str:
        return PurePosixPath(self.name).stem

    @property
    def suffix(self) -> str:
        return PurePosixPath(self.name).suffix

    @property
    def parents(self) -> list[Any]:
        ends = range(len(self.parts) - 1, 0, -1)
        return [RemotePath("/".join(self.parts[:end])) for end in ends]

    @property
    def parent(self) -> Any:
        return self.parents[0]

    def with_name(self, name: str) -> Any:
        return self.parent / name

    def absolute(self) -> Any:
        return self if "://" in self.url else RemotePath(os.path.abspath(self.url))

    def exists(self) -> bool:
        with reached(self.url) as (fs, path):
            try:
                fs.info(path)
            except FileNotFoundError:  # what else is wrong does not mean that
                return False
            return True

    def stat(self) -> Any:
        with reached(self.url) as (fs, path):
            return SimpleNamespace(st_mtime=fs.modified(path).timestamp())

    def mkdir(self, parents: bool = True, exist_ok: bool = True) -> None:
        """Make the folders, where there are folders; a bucket has to be there."""
        with reached(self.url) as (fs, path):
            if has_magic(path):
                raise OSError("fsspec takes *, ? and [ for patterns")
            _, *folders = accumulate(path.split("/"), "{}/{}".format)
            for folder in folders:
                if not fs.isdir(folder):
                    fs.mkdir(folder, create_parents=False)

    def glob(self, pattern: str) -> list[Any]:
        """The files in this folder whose names match."""
        with reached(self.url) as (fs, path):
            try:
                found = fs.ls(path, detail=False)
            except FileNotFoundError:
                return []
        names = sorted(each.rstrip("/").rpartition("/")[2] for each in found)
        return [self / name for name in names if fnmatchcase(name, pattern)]

    @contextmanager
    def open(self, mode: str) -> Iterator[Any]:
        """A text to write more to; it is written when that is done."""
        text = io.StringIO()
        text.write(self.read_text() if mode == "a" and self.exists() else "")
        yield text
        self.write_text(text.getvalue())

    def read_text(self) -> str:
        with reached(self.url) as (fs, path):
            return str(fs.cat_file(path).decode())

    def write_text(self, text: str) -> None:
        self.write_bytes(text.encode())

    def write_bytes(self, content: bytes) -> None:
        """Have the file hold this, or, if that fails, what it held before."""
        with reached(self.url) as (fs, path):
            if self.url.partition("://")[0] in OBJECT_STORES:
                fs.pipe_file(path, content)  # there, files appear when they are whole
            else:
                fs.pipe_file(f"{path}.partial", content)
                fs.mv(f"{path}.partial", path)

    def rename(self, target: Any) -> None:
        """Object stores copy, and then delete: there is one of the two at any time."""
        with reached(self.url) as (fs, path):
            fs.mv(path, url_to_fs(target.url)[1])

    def unlink(self, missing_ok: bool = False) -> None:
        if missing_ok and not self.exists():
            return
        with reached(self.url) as (fs, path):
            fs.rm_file(path)


def require_writable(folder: RemotePath) -> None:
    """Have a file be written there, and removed."""
    folder.mkdir(parents=True, exist_ok=True)
    trial = folder / f"trial-{os.urandom(4).hex()}"
    trial.write_text("")
    trial.unlink()


# ---- one for each function that works with local checkpoints ----------------------------------------------


def write_remote(path: RemotePath, checkpoint: dict[str, Any]) -> None:
    """Write a checkpoint, which is there when it is whole."""
    torch.save(checkpoint, content := io.BytesIO())
    if may_hold_objects():
        content.seek(0)
        tell_objects(content, path)
    try:
        path.write_bytes(content.getvalue())
    except OSError as error:
        raise SystemExit(f"cannot write {path}: {error}") from None


def load_remote(path: Any, device: Any = "cpu", safely: bool | None = True) -> Any:
    """What any checkpoint holds; those of torch's older format have no checksums."""
    with reached(str(path)) as (fs, name), fs.open(name, "rb") as file:
        if is_zipfile(file):
            require_intact(file)
        file.seek(0)
        return torch.load(file, device, weights_only=safely)


def read_remote(path: RemotePath) -> dict[str, Any]:
    """A checkpoint of this script; no code in the file is run."""
    try:
        checkpoint = load_remote(path)
        return {**checkpoint, "rng_states": checkpoint["rng_states"]}  # none but ours
    except Exception as error:  # noqa: BLE001  # a damaged file fails in many ways
        why = str(error).partition(". ")[0]  # torch goes on with what it would take
        raise SystemExit(f"{path} is damaged, or not this script's: {why}") from None


def require_intact_remote(path: RemotePath) -> None:
    """Have a file hold what was written to it."""
    with reached(path.url) as (fs, name), fs.open(name, "rb") as file:
        require_intact(file)


def is_saved_again_remote(path: str, run: str, step: int) -> bool:
    """Whether an earlier start of the run has saved this, at this step or later."""
    try:
        saved = load_remote(path)
        return bool(saved["run"] == run and saved["global_step"] >= step)
    except Exception:  # noqa: BLE001  # another program's file, or a damaged one
        return False


def remove_remote(path: RemotePath) -> None:
    """Remove a checkpoint, if it is there."""
    path.unlink(missing_ok=True)


def write_text_remote(path: RemotePath, text: str) -> None:
    """Write a file, which is there when it is whole."""
    path.write_text(text)
