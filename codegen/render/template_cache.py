"""Compiled templates, kept between builds."""

from __future__ import annotations

import os
from contextlib import suppress

import jinja2
from jinja2.bccache import Bucket
from platformdirs import user_cache_dir

from ..version import __version__


class TemplateCache(jinja2.FileSystemBytecodeCache):
    """Keeps them in the user's folder for caches; where that cannot be written, templates are compiled anew.

    Jinja tells by a checksum whether a template has changed.
    """

    def __init__(self, kind: str) -> None:
        super().__init__(os.path.join(user_cache_dir("ddpgen", appauthor=False, version=__version__), kind))

    def load_bytecode(self, bucket: Bucket) -> None:
        with suppress(OSError):
            super().load_bytecode(bucket)

    def dump_bytecode(self, bucket: Bucket) -> None:
        with suppress(OSError):
            os.makedirs(self.directory, mode=0o700, exist_ok=True)
            super().dump_bytecode(bucket)
