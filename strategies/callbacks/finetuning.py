"""Layers that are frozen at first, and trained from some epoch on."""

import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import torch
from torch import nn
from torch.nn.modules.batchnorm import _BatchNorm
from torch.optim import Optimizer

from .callbacks import Callback


class BaseFinetuning(Callback):
    """Freezes layers before training, and hands some to the optimizer in later epochs."""

    def __init__(self) -> None:
        self._internal_optimizer_metadata: dict[int, list[dict[str, Any]]] = {}
        self._restarting = False

    def freeze_before_training(self, pl_module: Any) -> None:
        raise NotImplementedError

    def finetune_function(
        self, pl_module: Any, epoch: int, optimizer: Optimizer
    ) -> None:
        raise NotImplementedError

    def setup(self, trainer: Any, pl_module: Any, stage: str) -> None:
        """Freeze layers before the optimizer is made."""
        self.freeze_before_training(pl_module)

    def on_fit_start(self, trainer: Any, pl_module: Any) -> None:
        """Give the optimizers of a run that goes on the groups that they had."""
        if self._restarting:
            parameters = dict(pl_module.named_parameters())
            for number, optimizer in enumerate(trainer.optimizers):
                if groups := self._internal_optimizer_metadata.get(number):
                    optimizer.param_groups = renamed_groups(groups, parameters)
            self._restarting = False

    def on_train_epoch_start(self, trainer: Any, pl_module: Any) -> None:
        """Thaw layers, and note by their names which groups they are in."""
        names = {each: name for name, each in pl_module.named_parameters()}
        for number, optimizer in enumerate(trainer.optimizers):
            known = len(optimizer.param_groups)
            self.finetune_function(pl_module, trainer.current_epoch, optimizer)
            noted = self._internal_optimizer_metadata.setdefault(number, [])
            new = optimizer.param_groups[known if noted else 0 :]
            noted.extend(renamed_groups(new, names))

    def state_dict(self) -> dict[str, Any]:
        """The groups of each optimizer's parameters."""
        return {"internal_optimizer_metadata": self._internal_optimizer_metadata}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on with these groups."""
        self._restarting = True
        self._internal_optimizer_metadata = state_dict["internal_optimizer_metadata"]

    @staticmethod
    def flatten_modules(modules: Any) -> list[nn.Module]:
        """Of a module, or several however deep: those without others, or with parameters of their own."""
        if isinstance(modules, nn.ModuleDict):
            modules = modules.values()
        if isinstance(modules, Iterable):
            found = [
                each
                for part in modules
                for each in BaseFinetuning.flatten_modules(part)
            ]
        else:
            found = list(modules.modules())
        return [each for each in found if not list(each.children()) or each._parameters]

    @staticmethod
    def filter_params(
        modules: Any, train_bn: bool = True, requires_grad: bool = True
    ) -> Iterator[nn.Parameter]:
        """Their parameters that need gradients, or those that do not."""
        for module in BaseFinetuning.flatten_modules(modules):
            if train_bn or not isinstance(module, _BatchNorm):
                for parameter in module.parameters(recurse=False):
                    if parameter.requires_grad == requires_grad:
                        yield parameter

    @staticmethod
    def make_trainable(modules: Any) -> None:
        for module in BaseFinetuning.flatten_modules(modules):
            if isinstance(module, _BatchNorm):
                module.track_running_stats = True
            for parameter in module.parameters(recurse=False):
                parameter.requires_grad = True

    @staticmethod
    def freeze_module(module: nn.Module) -> None:
        if isinstance(module, _BatchNorm):
            module.track_running_stats = False
        for parameter in module.parameters(recurse=False):
            parameter.requires_grad = False

    @staticmethod
    def freeze(modules: Any, train_bn: bool = True) -> None:
        """Freeze them, but for BatchNorm where that is to be trained."""
        for module in BaseFinetuning.flatten_modules(modules):
            if isinstance(module, _BatchNorm) and train_bn:
                BaseFinetuning.make_trainable(module)
            else:
                BaseFinetuning.freeze_module(module)

    @staticmethod
    def filter_on_optimizer(
        optimizer: Optimizer, params: Iterable[nn.Parameter]
    ) -> list[nn.Parameter]:
        """Those that the optimizer has not, as far as their values tell."""
        known = [each for group in optimizer.param_groups for each in group["params"]]
        params = list(params)
        new = [
            parameter
            for parameter in params
            if not any(torch.equal(each, parameter) for each in known)
        ]
        if len(new) < len(params):
            warnings.warn("the optimizer has some of these already", stacklevel=2)
        return new

    @staticmethod
    def unfreeze_and_add_param_group(
        modules: Any,
        optimizer: Optimizer,
        lr: float | None = None,
        initial_denom_lr: float = 10.0,
        train_bn: bool = True,
    ) -> None:
        """Thaw them, and have the optimizer change them from now on."""
        BaseFinetuning.make_trainable(modules)
        rate = optimizer.param_groups[0]["lr"] if lr is None else float(lr)
        share = initial_denom_lr if lr is None else 1.0
        found = BaseFinetuning.filter_params(modules, train_bn, requires_grad=True)
        if params := BaseFinetuning.filter_on_optimizer(optimizer, found):
            optimizer.add_param_group({"params": params, "lr": rate / share})


def renamed_groups(
    groups: list[dict[str, Any]], names: dict[Any, Any]
) -> list[dict[str, Any]]:
    """The groups with what `names` says in the place of each parameter."""
    renamed = []
    for group in groups:
        options = {key: value for key, value in group.items() if key != "params"}
        params = [names[each] for each in group["params"]]
        renamed.append({**options, "params": params})
    return renamed


def multiplicative(epoch: int) -> float:
    """By how much a learning rate grows in each epoch."""
    return 2.0


class BackboneFinetuning(BaseFinetuning):
    """Trains the model's `backbone` from some epoch on, at a learning rate that grows up to the others'."""

    def __init__(
        self,
        unfreeze_backbone_at_epoch: int = 10,
        lambda_func: Callable[[int], float] = multiplicative,
        backbone_initial_ratio_lr: float = 10e-2,
        backbone_initial_lr: float | None = None,
        should_align: bool = True,
        initial_denom_lr: float = 10.0,
        train_bn: bool = True,
        verbose: bool = False,
        rounding: int = 12,
    ) -> None:
        super().__init__()
        self.unfreeze_backbone_at_epoch = unfreeze_backbone_at_epoch
        self.lambda_func = lambda_func
        self.backbone_initial_ratio_lr = backbone_initial_ratio_lr
        self.backbone_initial_lr = backbone_initial_lr
        self.should_align = should_align
        self.initial_denom_lr = initial_denom_lr
        self.train_bn = train_bn
        self.verbose = verbose
        self.rounding = rounding
        self.previous_backbone_lr: float | None = None

    def state_dict(self) -> dict[str, Any]:
        return {
            **super().state_dict(),
            "previous_backbone_lr": self.previous_backbone_lr,
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        self.previous_backbone_lr = state_dict["previous_backbone_lr"]
        super().load_state_dict(state_dict)

    def freeze_before_training(self, pl_module: Any) -> None:
        self.freeze(pl_module.backbone)

    def finetune_function(
        self, pl_module: Any, epoch: int, optimizer: Optimizer
    ) -> None:
        """Thaw the backbone, or set its learning rate."""
        rate = optimizer.param_groups[0]["lr"]
        if epoch == self.unfreeze_backbone_at_epoch:
            own = self.backbone_initial_lr
            own = rate * self.backbone_initial_ratio_lr if own is None else own
            self.unfreeze_and_add_param_group(
                pl_module.backbone, optimizer, own, train_bn=self.train_bn
            )
        elif epoch > self.unfreeze_backbone_at_epoch:
            assert self.previous_backbone_lr is not None
            own = self.lambda_func(epoch + 1) * self.previous_backbone_lr
            own = rate if self.should_align and own > rate else own
            optimizer.param_groups[-1]["lr"] = own
        else:
            return
        self.previous_backbone_lr = own
        if self.verbose:
            rounded = round(rate, self.rounding), round(own, self.rounding)
            print("Current lr: {}, Backbone lr: {}".format(*rounded))
