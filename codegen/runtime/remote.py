"""What of the runtime stands in a script for places that fsspec reaches, instead of what works with local files."""

from __future__ import annotations

from collections.abc import Mapping

INSTEAD = {
    "Path": "RemotePath",
    "JsonlLogger": "RemoteJsonlLogger",
    "atomic_write_text": "write_text_remote",
    "is_saved_again": "is_saved_again_remote",
    "load_checkpoint": "load_remote",
    "read_checkpoint": "read_remote",
    "remove_checkpoint": "remove_remote",
    "require_intact": "require_intact_remote",
    "write_checkpoint": "write_remote",
}
"""Names of the runtime's, each with that of what has the same signature."""

MODULES = ("checkpoints/remote", "loggers/remote_metrics")
"""Where these are defined, by means of the others."""

NOTHING: Mapping[str, str] = {}


LOCAL = frozenset({"own_name"})
"""What works with paths that lead nowhere else."""


def instead(name: str, module: str) -> Mapping[str, str]:
    """By which names a definition calls other ones: elsewhere than here paths lead to local files."""
    if module in MODULES or name in LOCAL:
        return NOTHING
    if module.startswith(("checkpoints/", "callbacks/")) or name == "Trainer":
        return {other: replacing for other, replacing in INSTEAD.items() if other != name}
    return NOTHING
