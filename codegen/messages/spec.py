"""The spec: its settings, and the YAML that they are written in."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import indent

from ..diagnostics import Diagnostic
from .making import Place, choices, of_file, placeless, shown, there

# ---- settings --------------------------------------------------------------------------------------------


def spec_unreadable(path: str, reason: str, of_cli: bool = False) -> Diagnostic:
    whose = "LightningCLI's" if of_cli else "The strategy's"
    return of_file(path, f"{whose} file cannot be read: {reason}.")


def unknown_strategy(name: str, presets: Sequence[str], close: Sequence[str]) -> Diagnostic:
    hint = f" Did you mean {choices(close)}?" if close else ""
    message = (
        f"There is neither a preset nor a file called {shown(name)}.{hint} "
        f"The presets are {choices(presets)}; anything else is a path to a YAML file."
    )
    return placeless(message)


def spec_not_a_mapping(place: Place) -> Diagnostic:
    return there(
        place, "A strategy's file holds settings, written as `name: value`. Start with `strategy: ddp`."
    )


def unknown_setting(place: Place, name: str, close: Sequence[str], known: Sequence[str]) -> Diagnostic:
    hint = f"Did you mean {choices(close)}?" if close else f"Known here: {choices(known)}."
    return there(place, f"There is no setting {shown(name)} here. {hint}")


def ddp_setting_left_out(place: Place, name: str, reason: str) -> Diagnostic:
    return there(place, f"Scripts do without DistributedDataParallel's `{name}`: {reason}.")


def invalid_setting(place: Place, name: str, must_be: str) -> Diagnostic:
    return there(place, f"{shown(name)} {must_be}.")


def strategy_by_name(place: Place, name: str, settings: str) -> Diagnostic:
    return there(
        place,
        f"`{name}` is a name for `--strategy`. In a file write what it stands for:\n\n{indent(settings, '  ')}",
    )


def trainer_setting(place: Place, sentence: str) -> Diagnostic:
    return there(place, sentence)


def setting_without_ddp(place: Place, name: str) -> Diagnostic:
    return there(
        place,
        f"`{name}` has no meaning with `strategy: single`, which trains in one process. "
        "Remove it, or write `strategy: ddp`.",
    )


def static_graph_needs_multi_auto_sync(place: Place, sync: str) -> Diagnostic:
    return there(
        place,
        f"`static_graph` crashes inside torch where a backward runs without synchronisation, as with "
        f"`{sync}` here. Write `sync: multi_auto_sync`, or remove `static_graph`.",
    )


def static_graph_finds_unused_parameters(place: Place) -> Diagnostic:
    return there(
        place,
        "With `static_graph`, DistributedDataParallel finds unused parameters by itself and warns about this "
        "setting on every rank. Remove `find_unused_parameters`.",
    )


def comm_hook_never_called(place: Place) -> Diagnostic:
    return there(
        place,
        "With `forced_sync`, gradients are averaged after the backward, without DistributedDataParallel, which so "
        "never calls its communication hook. Write `sync: single_auto_sync`, or do without the hook.",
    )


NOT_COMPARED = {
    "ddp.comm_hook": "On the CPU, Lightning averages gradients as they are, so the two would differ by what this hook "
    "does",
    "ddp.local_sgd": "On the CPU, Lightning averages gradients in every step, so the two would differ",
    "ddp.join": "Lightning needs as many batches on each rank",
    "data_parallel_group": "Lightning trains one model on all ranks, and each group of these one of its own",
    "layer_sync": "Lightning has batch norm over all ranks or none, so the two would differ",
    "fsdp.mixed_precision": "Lightning's one process computes in what `precision` says, so the two would differ",
    "microbatch": "Lightning has a batch go through the model whole, and adds up in another order",
    "compile": "A compiler rounds in other places, and may draw other random numbers, so the two would differ",
    "loss": "Lightning takes means of gradients over ranks and accumulated batches, so the two would differ",
}
"""Settings under which the script is meant to train in another way than Lightning, and how."""


def not_compared(place: Place, key: str) -> Diagnostic:
    return there(place, f"{NOT_COMPARED[key]}. Verify without it.")


def fsdp_not_compared(place: Place) -> Diagnostic:
    return there(
        place,
        "Lightning shards no model on the CPU, and sums over shares are rounded in another order. Verify with `--nproc "
        "1`, where the script has the whole model.",
    )


def model_parallel_not_compared(place: Place) -> Diagnostic:
    return there(
        place,
        "Lightning is run by its strategy for whole models, under which the model has no `device_mesh`. Compare a run "
        "of your main with one of the script: on the CPU they end with the same bits.",
    )


def comm_state_not_saved(place: Place, name: str) -> Diagnostic:
    return there(
        place,
        f"Checkpoints do not hold what `{name}` knows: a resumed run begins with a new one. With the methods "
        "`state_dict` and `load_state_dict` it is saved, for each rank.",
        "note",
    )


def buffers_set_twice(place: Place) -> Diagnostic:
    return there(
        place,
        "torch ignores `broadcast_buffers` where `forward_sync_buffers` is set. Keep one of the two: "
        "`broadcast_buffers: false` alone also leaves buffers as they are at the start.",
    )


def bucket_sizes_set_twice(place: Place) -> Diagnostic:
    return there(
        place, "torch ignores `bucket_cap_mb` where `bucket_cap_mb_list` is set. Keep one of the two."
    )


def trainer_conflict(place: Place, sentence: str) -> Diagnostic:
    return there(place, sentence)


def dropped_setting(place: Place, name: str, reason: str) -> Diagnostic:
    return there(place, f"The script does without `{name}`: {reason}.", "note", name)


# ---- YAML ------------------------------------------------------------------------------------------------


def yaml_too_large(path: str, limit: str) -> Diagnostic:
    return of_file(path, f"The file is larger than {limit}, so it is no strategy's file. Check the path.")


def yaml_undecodable(path: str, reason: str) -> Diagnostic:
    return of_file(path, f"The file is no text in UTF-8: {reason}. Save it as UTF-8.")


def yaml_too_deep(path: str) -> Diagnostic:
    return of_file(path, "The YAML is nested too deeply to be read. A spec needs four levels at most.")


def yaml_syntax_error(place: Place, reason: str) -> Diagnostic:
    return there(place, f"This is no valid YAML: {reason}.")


def yaml_tag(place: Place, tag: str) -> Diagnostic:
    return there(place, f"The tag {shown(tag)} does not fit here. Write plain values without a tag.")


def yaml_bad_scalar(place: Place, kind: str) -> Diagnostic:
    return there(place, f"This cannot be read as {shown(kind)}. Put it in quotes if it is a string.")


def yaml_blank(place: Place) -> Diagnostic:
    return there(place, "This is still blank. Write its value in the place of `...`, or remove the line.")


def yaml_surrogate(place: Place) -> Diagnostic:
    return there(
        place, "The string holds half of a surrogate pair, which is no character. Write the character."
    )


def yaml_bad_key(place: Place) -> Diagnostic:
    return there(place, "A key must be a plain word or number. Write it as `name: value`.")


def yaml_duplicate_key(place: Place, key: str) -> Diagnostic:
    return there(place, f"{shown(key)} is given twice. Keep one of the two.")


def yaml_last_key(place: Place, key: str) -> Diagnostic:
    message = f"{shown(key)} is given twice: this one counts, as for LightningCLI. Remove the other."
    return there(place, message, "warning")


def yaml_bad_merge(place: Place) -> Diagnostic:
    return there(
        place, "`<<` merges mappings only. Write `<<: *name`, where `&name` stands before a mapping."
    )


def yaml_alias_in_itself(place: Place) -> Diagnostic:
    return there(place, "The alias stands inside of what it stands for. Write the value out.")


def yaml_expands_too_far(place: Place, limit: int) -> Diagnostic:
    return there(
        place, f"With its aliases, the file expands to more than {limit} values. Write fewer of them."
    )


def sharded_when_failing(place: Place) -> Diagnostic:
    return there(
        place,
        "A checkpoint that is saved when one rank has failed lacks the optimizer's states that the others keep. Remove "
        "`zero`, or what saves on exceptions.",
    )


def setting_without_fsdp(place: Place, name: str) -> Diagnostic:
    return there(place, f"`{name}` has no meaning without `strategy: fsdp`. Write that, or remove it.")


def setting_without_model_parallel(place: Place) -> Diagnostic:
    return there(
        place,
        "`model_parallel` has no meaning without `strategy: model_parallel`. Write that, or remove it.",
    )


NOT_WITH_MODEL_PARALLEL = {
    "ddp": "these are settings of DistributedDataParallel's, which does not train a model that ranks have parts of. "
    "Remove them, or write `strategy: ddp`",
    "sync": "the model's `fully_shard` averages gradients in each backward, as under Lightning. Remove it, or write "
    "`strategy: fsdp`, by which the script shares out the model",
    "loss": "gradients are averaged by what the model's `configure_model` sets up. Scale the loss there, or write "
    "`strategy: fsdp`",
    "microbatch": "what ranks send each other in a step is the model's. Make batches smaller, and accumulate "
    "gradients: `trainer: {accumulate_grad_batches: 4}`",
    "layer_sync": "some ranks read the same data, and layers would count that twice. Convert layers in "
    "`configure_model`",
    "sync_batchnorm": "some ranks read the same data, and layers would count that twice. Convert layers in "
    "`configure_model`, and remove it: Lightning does nothing with it here",
    "zero": "each rank has the states of its part of the model alone. Remove `zero`",
    "data_parallel_group": "ranks are in groups already, by what they read and which part of the model they have. "
    "Remove it",
    "save_on_exception": "a checkpoint that is saved when one rank has failed lacks the parts of the others. Remove "
    "what saves on exceptions",
    "log_graph": "rank 0 alone draws the graph, and no rank has the whole model. Remove `log_graph`",
    "automatic_optimization": "where the model steps its optimizers itself, gradients would not reach the other "
    "groups of ranks. Share it out in `configure_model` instead of by a plan, or let the script step the optimizer",
    "configure_gradient_clipping": "with a plan parameters are shared out in two ways, and the script limits their "
    "norm together. Write `gradient_clip_val`, or share the model out in `configure_model`",
}


def not_with_model_parallel(place: Place, name: str) -> Diagnostic:
    return there(place, f"`{name}`: {NOT_WITH_MODEL_PARALLEL[name]}.")


def nothing_shares_out(place: Place) -> Diagnostic:
    return there(
        place,
        "With `strategy: model_parallel` the model's `configure_model` shares it out, by `self.device_mesh`, and this "
        "model has none. Write one, or a plan, `model_parallel: {plan: {layers.*.up: colwise, "
        "layers.*.down: rowwise}}`; or `strategy: fsdp`, by which the script shares out any model.",
    )


NOT_WITH_FSDP = {
    "reshard_after_forward": "where the model steps its optimizers itself, it may do so between a forward and the next "
    "backward, and what is kept until then would have old weights. Remove it",
    "save_on_exception": "a checkpoint that is saved when one rank has failed lacks the shares of the others. Remove "
    "what saves on exceptions",
    "log_model": "a checkpoint with `state: sharded` is a folder, and loggers upload files. Write `checkpoint: "
    "{state: full}`, or remove what uploads checkpoints",
    "log_graph": "rank 0 alone draws the graph, and no rank has the whole model. Remove `log_graph`",
    "ddp": "these are settings of DistributedDataParallel's, which does not train a sharded model. Remove them, or "
    "write `strategy: ddp`",
    "sync": "a rank has its share of the gradients alone, which cannot be averaged by hand. Write `sync: "
    "single_auto_sync`, or `multi_auto_sync` to keep no whole gradients from batch to batch",
    "zero": "with `fsdp` each rank has its share of the optimizer's states already. Remove `zero`",
    "auto": "a part's forward gathers the model's parameters from all ranks, and one that has no memory for it would "
    "leave the others waiting there. Give a number of samples, `microbatch: 8`",
    "split": "each part gathers the model's parameters from all ranks, so that these must have equally many, and a "
    "function of yours may make more of them on some. Give a number of samples alone, `microbatch: 8`; or make batches "
    "smaller, and accumulate gradients: `trainer: {accumulate_grad_batches: 4}`",
    "batches": "each part of a batch gathers the model's parameters from all ranks, so that these must have equally "
    "many, which is sure for torch's own DataLoader alone, over a dataset with a length, without a sampler and a "
    "`collate_fn`. Make batches smaller in the place of `microbatch`, and accumulate gradients: `trainer: "
    "{accumulate_grad_batches: 4}`",
}


def not_with_fsdp(place: Place, name: str) -> Diagnostic:
    return there(place, f"`{name}`: {NOT_WITH_FSDP[name]}.")


def nothing_is_mixed(place: Place) -> Diagnostic:
    return there(
        place,
        "`mixed_precision` takes the type that the Trainer's `precision` mixes in, which is none here, or known only "
        "when the script runs. Write `trainer: {precision: bf16-mixed}`, or the type: `{param_dtype: bfloat16}`.",
    )


def nothing_begins_empty(place: Place) -> Diagnostic:
    return there(
        place,
        "Your main makes the model, with all its layers, before the script shares it out. Make them in "
        "`configure_model`, which the script calls where they take no memory; or remove `empty_init`.",
    )


NOT_WITH_OFFLOAD = {
    "precision": "with `16-mixed` the scale of losses is on the device, and gradients are on the CPU. Write `trainer: "
    "{precision: bf16-mixed}`, or remove `cpu_offload`",
}


def not_with_offload(place: Place, name: str) -> Diagnostic:
    return there(place, f"`{name}`: {NOT_WITH_OFFLOAD[name]}.")


def callback_with_fsdp(place: Place, name: str) -> Diagnostic:
    return there(
        place,
        f"{name} is for whole parameters, and each rank has its share of them. Train without it, or write "
        "`strategy: ddp`.",
    )


NOT_WITH_LOCAL_SGD = {
    "automatic_optimization": "local SGD follows the one optimizer that the script steps. Let it step yours, or remove "
    "`local_sgd`",
    "precision": "with `16-mixed` and local SGD each rank would scale losses by itself, and skip other steps than the "
    "rest. Use `bf16-mixed`",
    "comm_hook": "local SGD has a communication hook of its own. Keep one of them",
    "find_unused_parameters": "with local SGD each rank has to use the same parameters, as those that have gradients "
    "are averaged. Remove one of them",
    "loss": "with local SGD there are no gradients of all ranks to add up. Let losses be means",
    "zero": "with local SGD each rank changes all parameters in its own way. Remove `zero`, or `local_sgd`",
    "sync": "local SGD counts the steps of the optimizer, and gradients have to be averaged once in each. Write `sync: "
    "single_auto_sync`",
}


def not_with_local_sgd(place: Place, name: str) -> Diagnostic:
    return there(place, f"`{name}`: {NOT_WITH_LOCAL_SGD[name]}.")


NOT_IN_GROUPS = {
    "launch": "torchrun has groups of ranks find each other. Write `launch: torchrun`, or `auto` and start it "
    "with torchrun",
    "main": "your own main says what is written where, and with which seed, which would be the same for all groups. "
    "Start torchrun once for each training",
    "dirpath": "all groups would write to the folder that your checkpoints have. Leave `dirpath` out, and each has one "
    "below `--out`",
    "logger": "all groups would write to the folder, or the run, that your logger has. Write `logger: [jsonl, "
    "tensorboard]`, and each has one below `--out`",
}


def not_in_groups(place: Place, name: str) -> Diagnostic:
    return there(place, f"`data_parallel_group` and `{name}`: {NOT_IN_GROUPS[name]}.")


NOT_REMOTE = {
    "lock": "there are no locks on files there. Leave `lock` out",
    "state: sharded": "a checkpoint that is a folder has to be renamed as one. Write `state: full`",
    "logger": "TensorBoard's files are appended to, and files there are written as a whole. Write `logger: jsonl`, or "
    "hand the Trainer a `TensorBoardLogger` with a local `save_dir`",
    "profiler": "torch's profiler writes to local folders. Profile with a local `dir`",
    "default logger": "the logger that a Trainer makes by itself would write there, a little at a time. Hand it one "
    "with a local `save_dir`",
    "log_model": "such a logger uploads local files. Leave `log_model` out",
    "save_dir": "this logger writes a little at a time, and files there are written as a whole. Give it a local folder",
}


def not_remote(place: Place, name: str) -> Diagnostic:
    return there(place, f"Places that are URLs, and `{name}`: {NOT_REMOTE[name]}.")


NOT_WITH_JOIN = {
    "automatic_optimization": "where the model steps its optimizers itself, ranks meet in each `manual_backward`. Let "
    "the script step the optimizer",
    "sync_batchnorm": "SyncBatchNorm has the ranks meet in each forward, and one that has no batches left would not "
    "come. Remove one of them",
    "layer_sync": "such layers have the ranks meet in each forward, and one that has no batches left would not come. "
    "Remove one of them",
    "max_steps": "a rank that has no batches left takes no steps until the epoch ends. Write `max_epochs`",
    "val_check_interval": "a rank that has no batches left would miss a validation within the epoch. Validate after "
    "whole epochs",
    "stopping": "whether training ends, or leaves out the rest of an epoch, would be decided within it, when a rank "
    "may have no batches left. Decide it after the epoch",
    "saving": "checkpoints are saved within the epoch, by all ranks together, and one may have no batches left. Save "
    "after whole epochs",
    "sync_dist": "a value of a step is reduced over all ranks, and one may have no batches left. Log it with "
    "`on_step=False, on_epoch=True`, or without `sync_dist`",
    "total_batch_idx": "each rank has a number of batches of its own. Ask for `global_step`",
    "loaders": "the script reads one training loader where ranks join. Make one of them",
    "accumulate_grad_batches": "which batch of an epoch is the last of all ranks has to be known. Give the dataset a "
    "`__len__`, or write `accumulate_grad_batches: 1`",
    "comm_hook": "torch hands the hook zeros for a rank that has no batches left, which what it keeps is not made for. "
    "Remove one of them",
    "local_sgd": "all ranks average their models after so many steps, and one may have no batches left. Remove one of "
    "them",
    "static_graph": "a rank that has no batches left runs no graph. Remove `static_graph`",
    "zero": "a rank that has no batches left would change its share of the model by gradients that it no longer gets. "
    "Remove one of them",
    "sync": "the script would average gradients by itself, and a rank that has no batches left would not come. Write "
    "`sync: single_auto_sync`",
    "microbatch": "ranks may have different numbers of parts in a batch, and torch counts each as one. Remove one of "
    "them",
}


def not_with_join(place: Place, name: str) -> Diagnostic:
    return there(place, f"`join` and `{name}`: {NOT_WITH_JOIN[name]}.")


def callback_with_join(place: Place, name: str) -> Diagnostic:
    return there(
        place,
        f"`join` and {name}: what it does after single batches would differ on a rank that has none left. Do without "
        "one of them.",
    )


NOT_WITHIN_EPOCHS = {
    "automatic_optimization": "where the model steps its optimizers itself, gradients may stand after any batch, which "
    "no checkpoint holds",
    "join": "checkpoints are saved by all ranks together, and one may have no batches left",
    "setup_optimizers": "a run begins with the optimizer that the model returns at first, where the epoch may have had "
    "another one",
    "reload_dataloaders_every_n_epochs": "a loader that is made anew may have other batches than those that were "
    "trained",
}


def not_within_epochs(place: Place, name: str) -> Diagnostic:
    return there(
        place,
        f"A run that goes on within an epoch, and `{name}`: {NOT_WITHIN_EPOCHS[name]}. Save after whole epochs, with "
        "`every_n_epochs`, and without `preemption`.",
    )


def leaves_without_checkpoint(place: Place) -> Diagnostic:
    return there(
        place,
        "A run that is told to leave saves `last.ckpt`, which `checkpoint: false` leaves out. Remove one of them.",
    )


NOT_WITH_ON_NAN = {
    "automatic_optimization": "the model steps its optimizers itself. Look at the gradients in `training_step`",
    "optimizer_step": "the optimizer's step runs the backward. Look at the gradients in `optimizer_step`",
    "configure_optimizers": "there is no optimizer",
    "precision": "with `16-mixed` gradients may be infinite until the loss's scale is found, and such steps are left "
    "out anyway. Take `bf16-mixed`",
    "strategy": "each rank has a share of the gradients alone. Take `strategy: ddp`",
    "local_sgd": "gradients are each rank's own",
    "join": "a rank without batches has no gradients",
    "zero": "each rank steps a part of the optimizer. Write `on_nan: stop`",
}


def not_with_on_nan(place: Place, name: str) -> Diagnostic:
    return there(place, f"`on_nan` and `{name}`: {NOT_WITH_ON_NAN[name]}, or remove `on_nan`.")


NOT_WITH_WRAPPER = {
    "automatic_optimization": "where the model steps its optimizers itself, losses and not steps pass through what "
    "averages gradients. Remove `wrapper`, or let the script step the optimizer",
    "sync": "the script would average gradients after the backward by itself, and leave nothing to do for your "
    "wrapper. Write `sync: single_auto_sync`, or remove `wrapper`",
    "microbatch": "with `auto` the script averages gradients by itself until the size is found. Give a number of "
    "samples",
}


def not_with_wrapper(place: Place, name: str) -> Diagnostic:
    is_ddps = "this is DistributedDataParallel's, and your wrapper is in its place. Give that `init_args`"
    return there(place, f"`{name}`: {NOT_WITH_WRAPPER.get(name, is_ddps)}.")


def step_compiled_by_hand(place: Place) -> Diagnostic:
    return there(
        place,
        "With manual optimization `training_step` calls the backward and the optimizers itself, which torch does not "
        "compile in one piece. Write `compile: model`, or name classes of layers.",
    )


def sums_by_hand(place: Place) -> Diagnostic:
    return there(
        place,
        "With manual optimization the model calls the backward itself. Multiply the loss by `self.trainer.world_size` "
        "there, and remove `loss: sum`.",
    )


NOT_WITH_MICROBATCH = {
    "automatic_optimization": "with manual optimization the model calls the backward itself. Split the batch in your "
    "`training_step`, or remove `microbatch`",
    "layer_sync": "such layers have the ranks meet in each forward, and they may have different numbers of parts. "
    "Remove one of them",
    "sync_batchnorm": "SyncBatchNorm has the ranks meet in each forward, and they may have different numbers of parts. "
    "Remove one of them",
    "static_graph": "with `microbatch` only the last backward of a batch synchronises gradients, which crashes inside "
    "torch with `static_graph`. Remove one of them",
}


def not_with_microbatch(place: Place, name: str) -> Diagnostic:
    return there(place, f"`{name}`: {NOT_WITH_MICROBATCH[name]}.")


NOT_WITH_SEARCH = {
    "comm_hook": "gradients are averaged by hand until the size is found, and the hook would not be called",
    "local_sgd": "gradients are averaged by hand until the size is found, over all ranks",
    "closure": "an optimizer that runs forward and backward itself cannot be told that a rank has no memory",
    "torchmetrics": "what they have counted in an attempt that failed cannot be taken back",
}


def not_with_search(place: Place, name: str) -> Diagnostic:
    return there(
        place, f"`microbatch: auto` and `{name}`: {NOT_WITH_SEARCH[name]}. Give a number of samples."
    )
