from collections.abc import Sequence
from pathlib import Path

import rich
import rich.syntax
import rich.tree
from lightning_utilities.core.rank_zero import rank_zero_only
from omegaconf import DictConfig, OmegaConf, open_dict

from src.utils import ranked_logger

log = ranked_logger.RankedLogger(__name__, rank_zero_only=True)

GROUPS = ("data", "model", "callbacks", "logger", "trainer", "paths", "extras")


@rank_zero_only
def print_config_tree(
    cfg: DictConfig,
    print_order: Sequence[str] = GROUPS,
    resolve: bool = False,
    save_to_file: bool = False,
) -> None:
    """Show the configuration as a tree, and keep it beside what the run writes."""
    tree = rich.tree.Tree("CONFIG", style="dim", guide_style="dim")
    groups = [name for name in print_order if name in cfg]
    groups += [str(name) for name in cfg if name not in groups]
    for name in groups:
        branch = tree.add(name, style="dim", guide_style="dim")
        group = cfg[name]
        content = (
            OmegaConf.to_yaml(group, resolve=resolve)
            if isinstance(group, DictConfig)
            else str(group)
        )
        branch.add(rich.syntax.Syntax(content, "yaml"))
    rich.print(tree)
    if save_to_file:
        with open(Path(cfg.paths.output_dir, "config_tree.log"), "w") as file:
            rich.print(tree, file=file)


@rank_zero_only
def enforce_tags(cfg: DictConfig, save_to_file: bool = False) -> None:
    """Runs have tags, by which they are found again."""
    if not cfg.get("tags"):
        log.warning("No tags are given.")
        with open_dict(cfg):
            cfg.tags = ["dev"]
    if save_to_file:
        with open(Path(cfg.paths.output_dir, "tags.log"), "w") as file:
            rich.print(cfg.tags, file=file)
