"""The command line: options of the trainer, of the data and of the model, each in a group of its own."""

from argparse import ArgumentParser, BooleanOptionalAction, Namespace
from pathlib import Path

from waves.models import MODELS

TRAINER = "trainer"


def add_trainer_options(parser: ArgumentParser) -> None:
    group = parser.add_argument_group(TRAINER)
    group.add_argument("--accelerator", default="auto")
    group.add_argument("--devices", default="auto", type=lambda text: int(text) if text.isdigit() else text)
    group.add_argument("--max_epochs", type=int, default=3)
    group.add_argument("--precision", default="32-true")
    group.add_argument("--accumulate_grad_batches", type=int, default=2)
    group.add_argument("--gradient_clip_val", type=float, default=1.0)
    group.add_argument("--check_val_every_n_epoch", type=int, default=1)
    group.add_argument("--log_every_n_steps", type=int, default=5)
    group.add_argument("--deterministic", action=BooleanOptionalAction, default=True)
    group.add_argument("--enable_progress_bar", action=BooleanOptionalAction, default=False)
    group.add_argument("--default_root_dir", type=Path, default=None)


def add_data_options(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("data")
    group.add_argument("--count", type=int, default=60)
    group.add_argument("--length", type=int, default=16)
    group.add_argument("--batch_size", type=int, default=6)
    group.add_argument("--noise", type=float, default=0.2)
    group.add_argument("--num_workers", type=int, default=0)


def parse(argv=None) -> tuple[Namespace, Namespace]:
    """The project's options, and those that are the Trainer's own."""
    parser = ArgumentParser()
    parser.add_argument("--seed", type=int, default=12)
    parser.add_argument("--model", choices=sorted(MODELS), default="recurrent")
    parser.add_argument("--ckpt_path", default=None)
    parser.add_argument("--only_test", action="store_true")
    parser.add_argument("--patience", type=int, default=4)
    add_trainer_options(parser)
    add_data_options(parser)
    chosen, _ = parser.parse_known_args(argv)
    MODELS[chosen.model].add_model_options(parser)
    args = parser.parse_args(argv)
    groups = {
        group.title: Namespace(**{a.dest: getattr(args, a.dest) for a in group._group_actions if a.dest != "help"})
        for group in parser._action_groups
    }
    args.data = groups["data"]
    return args, groups[TRAINER]
