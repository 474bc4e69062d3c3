"""Which modules are gathered by themselves, what is refused, and how each of torch's optimizers goes on."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from ddpgen.strategies.distributed.ranks import Ranks
from ddpgen.strategies.sharding.sharded_model import (
    begun,
    load_own_buffers,
    mesh_of_one,
    mesh_of_several,
    modules_at,
    modules_from,
    modules_of,
    own_buffers,
    recompute_in_backward,
    require_shares,
    shard_model,
    shares_of_model,
    shares_of_states,
    untied,
    whole,
)
from parity.differences import first_difference
from torch import nn
from torch.distributed.tensor import DTensor, Shard, distribute_tensor

CPU = torch.device("cpu")


def encoder() -> nn.Module:
    """Two layers with attention in a list, and a projection."""
    layers = nn.ModuleList(nn.TransformerEncoderLayer(8, 2, 16) for _ in range(2))
    return nn.ModuleDict({"encoder": layers, "out": nn.Linear(8, 3)})


def named(model: nn.Module, modules: list[nn.Module]) -> list[str]:
    names = {module: name for name, module in model.named_modules()}
    return [names[each] for each in modules]


def test_modules_by_class_begin_with_the_inner_ones() -> None:
    model = encoder()
    found = named(model, modules_of(model, "TransformerEncoderLayer", "MultiheadAttention"))
    assert found == ["encoder.1.self_attn", "encoder.1", "encoder.0.self_attn", "encoder.0"]


def test_a_star_stands_for_one_part_of_a_path() -> None:
    model = encoder()
    assert named(model, modules_at(model, "encoder.*", "out")) == ["out", "encoder.1", "encoder.0"]
    assert named(model, modules_at(model, "*.*.self_attn")) == ["encoder.1.self_attn", "encoder.0.self_attn"]
    assert modules_at(model, "self_attn") == []


@pytest.mark.parametrize(
    ("least", "expected"),
    [
        (10_000, []),
        (400, ["encoder.1", "encoder.0"]),
        (250, ["encoder.1.self_attn", "encoder.1", "encoder.0.self_attn", "encoder.0"]),
    ],
)
def test_modules_by_size_are_no_containers_and_no_part_of_attention(least: int, expected: list[str]) -> None:
    model = encoder()
    assert named(model, modules_from(model, least)) == expected


def test_what_would_be_all_is_gathered_with_the_model() -> None:
    model = nn.ModuleDict({"only": nn.Sequential(nn.Linear(8, 8), nn.Linear(8, 8))})
    assert named(model, modules_from(model, 100)) == []
    assert named(model, modules_from(model, 60)) == ["only.1"]


def test_layers_begin_in_their_order_and_blocks_when_they_are_complete() -> None:
    torch.manual_seed(1)
    made = encoder()
    torch.manual_seed(1)
    with torch.device("meta"):
        model = encoder()
    found = []
    for block in begun(model, modules_of(model, "Linear", "LayerNorm"), CPU):
        found.append(type(block).__name__)
        assert not any(each.is_meta for each in block.parameters())
    assert found == ["Linear", "Linear", "LayerNorm", "LayerNorm"] * 2 + ["Linear"]
    assert not first_difference(dict(made.state_dict()), dict(model.state_dict()), "model")


def test_what_cannot_begin_is_refused() -> None:
    with torch.device("meta"):
        model: Any = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
        model.scale = nn.Parameter(torch.ones(2))
    with pytest.raises(SystemExit, match="Sequential has no reset_parameters"):
        list(begun(model, [], CPU))
    model[1].weight = model[0].weight
    with pytest.raises(SystemExit, match=r"0\.weight and 1\.weight are one parameter"):
        untied(model)


# ---- on two ranks ----------------------------------------------------------------------------------------

KINDS: dict[str, dict[str, Any]] = {
    "Adadelta": {},
    "Adagrad": {"initial_accumulator_value": 0.1},
    "Adam": {"amsgrad": True},
    "AdamW": {"fused": True},
    "Adamax": {},
    "ASGD": {"t0": 1},
    "NAdam": {},
    "RAdam": {"foreach": True},
    "RMSprop": {"momentum": 0.5, "centered": True},
    "SGD": {"momentum": 0.9, "nesterov": True},
}


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(2)
        self.layers = nn.Sequential(nn.Linear(5, 7), nn.Tanh(), nn.Linear(7, 3))

    def training_step(self, batch: torch.Tensor) -> torch.Tensor:
        return self.layers(batch).square().mean()


def sharded() -> Any:
    model: Any = Net()
    shard_model(model, modules_of(model, "Linear"), CPU, mesh_of_one(CPU))
    return model


def train(model: Any, optimizer: Any, steps: range) -> None:
    for step in steps:
        optimizer.zero_grad()
        model.training_step(torch.randn(4, 5, generator=torch.Generator().manual_seed(step))).backward()
        optimizer.step()


class Dropping(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer, self.calls = nn.Linear(5, 7), 0

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.calls += 1
        return torch.dropout(torch.tanh(self.layer(x)), 0.5, train=True)


def test_what_is_computed_anew_is_the_same() -> None:
    gradients, calls = [], []
    for recomputes in (False, True):
        torch.manual_seed(3)
        model: Any = nn.Sequential(Dropping(), nn.Linear(7, 1))
        names = [*model.state_dict()]
        if recomputes:
            for _ in range(2):  # as a second training has it
                recompute_in_backward(modules_of(model, "Dropping"))
        model(torch.ones(2, 5, requires_grad=True)).sum().backward()
        assert [*model.state_dict()] == names
        gradients.append(dict(enumerate(each.grad for each in model.parameters())))
        calls.append(model[0].calls)
    assert calls == [1, 2]
    assert not first_difference(gradients[0], gradients[1], "gradients")
    with pytest.raises(SystemExit, match="count batches in BatchNorm1d twice"):
        recompute_in_backward([nn.BatchNorm1d(3)])


def each_rank_optimizes(ranks: Ranks) -> list[str]:
    """How it differs from whole parameters, stopped and restored in between; all ranks have the same batches."""
    found: list[str | None] = []
    for name, options in KINDS.items():
        kind = getattr(torch.optim, name)
        plain: Any = Net()
        expected = kind(plain.parameters(), lr=0.1, **options)
        train(plain, expected, range(5))
        model = sharded()
        optimizer = kind(model.parameters(), lr=0.1, **options)
        require_shares(optimizer)
        train(model, optimizer, range(3))
        weights, states = [whole(model.state_dict())], [whole(optimizer.state_dict())]
        torch.distributed.broadcast_object_list(weights)
        torch.distributed.broadcast_object_list(states)
        model = sharded()
        model.load_state_dict(shares_of_model(model, weights[0]))
        optimizer = kind(model.parameters(), lr=0.1, **options)
        optimizer.load_state_dict(shares_of_states(optimizer, states[0]))
        train(model, optimizer, range(3, 5))
        weights, states = whole(model.state_dict()), whole(optimizer.state_dict())
        if (
            ranks.rank == 0 and "fused" in options
        ):  # its kernel rounds otherwise where a share's last vector ends
            torch.testing.assert_close(weights, dict(plain.state_dict()), rtol=0, atol=1e-6)
        elif ranks.rank == 0:
            found.append(first_difference(plain.state_dict(), weights, name))
            found.append(first_difference(expected.state_dict()["state"], states["state"], name))
    return [each for each in found if each]


@pytest.mark.processes
def test_each_optimizer_goes_on_with_shares(two_ranks: Any) -> None:
    assert two_ranks(each_rank_optimizes) == [[], []]


def each_rank_refuses(ranks: Ranks) -> list[str]:
    sentences = []
    early = torch.optim.SGD(Net().parameters(), lr=0.1)
    model = sharded()
    for optimizer in (early, torch.optim.Adafactor(model.parameters())):
        with pytest.raises(SystemExit) as stopped:
            require_shares(optimizer)
        sentences.append(str(stopped.value))
    with pytest.raises(SystemExit) as stopped:
        mesh_of_several(CPU, 3)
    sentences.append(str(stopped.value))
    for find in (modules_of, modules_at):
        with pytest.raises(SystemExit) as stopped:
            find(model, "Block")
        sentences.append(str(stopped.value))
    return sentences


@pytest.mark.processes
def test_what_would_not_be_trained_is_refused(two_ranks: Any) -> None:
    expected = [
        "SGD has parameters that the sharded model has not",
        "Adafactor may need more of a parameter",
        "2 ranks cannot share out 3 copies",
        "the model has no Block",
        "the model has nothing at Block",
    ]
    for sentences in two_ranks(each_rank_refuses):
        assert all(sentence.startswith(part) for sentence, part in zip(sentences, expected, strict=True))


def each_rank_scales(ranks: Ranks) -> list[Any]:
    """A gradient of the second rank's share has no end."""
    model = sharded()
    before = whole(model.state_dict())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler("cpu")
    scaler.scale(model.training_step(torch.ones(4, 5))).backward()
    if ranks.rank == 1:
        model.layers[0].weight.grad.to_local()[0] = torch.inf
    scaler.unscale_(optimizer)
    scaler.step(optimizer)
    scaler.update()
    return [scaler.get_scale(), first_difference(before, whole(model.state_dict()), "weights")]


@pytest.mark.processes
def test_a_step_that_one_rank_has_to_skip_is_skipped_by_all(two_ranks: Any) -> None:
    assert two_ranks(each_rank_scales) == [[2.0**15, None]] * 2


def each_rank_has_buffers(ranks: Ranks) -> list[Any]:
    model = nn.BatchNorm1d(3)
    model.running_mean += 1.0
    assert model.running_var is not None
    model.running_var *= 1.0 + ranks.rank
    mesh = mesh_of_one(CPU)
    assert mesh is not None
    model.register_buffer("shares", distribute_tensor(torch.ones(4), mesh, [Shard(0)]))
    found = own_buffers(model)
    again = nn.BatchNorm1d(3)
    load_own_buffers(again, found)
    assert again.running_var is not None
    return [sorted(found), again.running_var.tolist()]


@pytest.mark.processes
def test_ranks_keep_the_buffers_that_are_their_own(two_ranks: Any) -> None:
    assert two_ranks(each_rank_has_buffers) == [[[], [1.0] * 3], [["running_var"], [2.0] * 3]]


def each_rank_begins(ranks: Ranks) -> list[Any]:
    """From the weights of rank 0, whatever it had itself."""
    model: Any = Net()
    for parameter in model.parameters():
        parameter.data += ranks.rank
    shard_model(model, [model.layers[0]], CPU, mesh_of_one(CPU))
    shares = [isinstance(each, DTensor) for each in model.parameters()]
    return [shares, {name: each.full_tensor().tolist() for name, each in model.named_parameters()}]


@pytest.mark.processes
def test_ranks_begin_alike(two_ranks: Any) -> None:
    expected = {name: each.tolist() for name, each in Net().named_parameters()}
    for shares, weights in two_ranks(each_rank_begins):
        assert shares == [True] * 4
        assert weights == expected
