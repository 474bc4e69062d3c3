"""What a LightningModule has and a LightningDataModule has not."""

from __future__ import annotations

from .api import EVALUATION_HOOKS, HOOKS, HOOKS_OF, MEMBERS, STEPS, UNCALLED, UNSUPPORTED_HOOKS

OF_BOTH = HOOKS_OF["data"] | frozenset("trainer hparams hparams_initial load_from_checkpoint".split())

OF_TORCH = frozenset("""
    T_destination add_module apply bfloat16 buffers call_super_init children compile cpu cuda double dump_patches eval
    extra_repr float forward get_buffer get_extra_state get_parameter get_submodule half ipu modules mtia named_buffers
    named_children named_modules named_parameters parameters register_backward_hook register_buffer
    register_forward_hook register_forward_pre_hook register_full_backward_hook register_full_backward_pre_hook
    register_load_state_dict_post_hook register_load_state_dict_pre_hook register_module register_parameter
    register_state_dict_post_hook register_state_dict_pre_hook requires_grad_ set_extra_state set_submodule
    share_memory to to_empty train training type xpu zero_grad
    """.split())
"""Of `torch.nn.Module`."""

OF_LIGHTNING = (
    HOOKS | EVALUATION_HOOKS | STEPS | MEMBERS | UNCALLED | UNSUPPORTED_HOOKS.keys()
) - OF_BOTH - {"save_hyperparameters"} | frozenset(
    """
    backward device_mesh fabric on_validation_model_zero_grad predict_step test_step to_tensorrt
    """.split()
)
"""Of Lightning's own."""

OF_CLASS = frozenset("""
    _LightningModule__check_allowed _LightningModule__check_not_nested _LightningModule__to_tensor
    _apply_batch_transfer_handler _automatic_optimization _call_batch_hook _compiler_ctx _current_fx_name _device
    _device_mesh _dtype _example_input_array _fabric _fabric_optimizers _jit_is_scripting _log_dict_through_fabric
    _log_hyperparams _metric_attributes _on_before_batch_transfer _param_requires_grad_state _set_hparams
    _strict_loading _to_hparams_dict _trainer _verify_is_manual_optimization
    """.split())
"""Those of Lightning's own with an underscore in front."""

INSTEAD_OF_CLASS = {
    "_automatic_optimization": "Ask for `automatic_optimization`",
    "_device": "Ask for `device`",
    "_dtype": "Ask for `dtype`",
    "_example_input_array": "Ask for `example_input_array`",
    "_hparams": "Ask for `hparams`",
    "_hparams_initial": "Ask for `hparams_initial`",
    "_log_hyperparams": "Give `save_hyperparameters` the argument `logger`",
    "_strict_loading": "Ask for `strict_loading`",
}
"""What to do instead of asking for some of them."""

SET_AS = {"_example_input_array": "example_input_array", "_strict_loading": "strict_loading"}
"""Attributes behind properties: to set one is to set the property."""

PROPERTIES = frozenset("""
    automatic_optimization current_epoch device device_mesh dtype example_input_array fabric global_rank global_step
    local_rank logger loggers on_gpu strict_loading
    """.split())
"""Those of which a class's own code sets no attribute of an object by plain assignment."""

OF_MODULES = OF_TORCH | OF_LIGHTNING
"""What a LightningModule has and a LightningDataModule has not, without underscores in front."""

INNER = frozenset("""
    _apply _backward_hooks _buffers _call_impl _device _dtype _fabric _forward_hooks _forward_pre_hooks _get_name
    _load_from_state_dict _log_hyperparams _modules _named_members _non_persistent_buffers_set _parameters
    _save_to_state_dict _set_hparams _state_dict_hooks _trainer _version __dict__
    """.split())
"""The same with underscores, and what shows them."""

OF_HYPERPARAMETERS = frozenset("""
    CHECKPOINT_HYPER_PARAMS_KEY CHECKPOINT_HYPER_PARAMS_NAME CHECKPOINT_HYPER_PARAMS_TYPE hparams hparams_initial
    load_from_checkpoint remove_ignored_hparams save_hyperparameters
    """.split())
"""What both have, and a checkpoint has under other names."""

ALWAYS_HAS = {
    "module": HOOKS_OF["module"]
    | OF_LIGHTNING
    | OF_CLASS
    | OF_HYPERPARAMETERS
    | frozenset({"allow_zero_length_dataloader_with_multiple_devices", "prepare_data_per_node"}),
    "data": HOOKS_OF["data"] | OF_HYPERPARAMETERS | frozenset("""
        _log_hyperparams _set_hparams _to_hparams_dict allow_zero_length_dataloader_with_multiple_devices from_datasets
        load_state_dict name on_exception prepare_data_per_node state_dict
        """.split()),
}
"""What every object has that is of a class derived from Lightning's, by its kind.

All but `trainer`, which a model that has none answers with an error.
"""

STATE = frozenset({"state_dict", "load_state_dict"})
"""What both have that does something else."""

LOOKING_UP = frozenset("__getattr__ __getattribute__ __setattr__ __delattr__ __dir__ __setstate__".split())
"""Methods by which classes change how attributes are found, which modules of torch's do themselves."""
