"""What srun, jsrun, mpiexec and Kubeflow say, by torchrun's names (21)."""

from __future__ import annotations

import os
import socket
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from ddpgen.strategies.distributed.launchers import launch_variables
from lightning.fabric.plugins.environments import LSFEnvironment, SLURMEnvironment

PLACE = ("RANK", "LOCAL_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "GROUP_RANK")
ADDRESS = ("MASTER_ADDR", "MASTER_PORT")
OF_LAUNCHERS = ("SLURM_", "JSM_", "LSB_", "OMPI_", "PMI_", "PMIX_", "MV2_", "TORCHELASTIC_")

SLURM = {
    "SLURM_JOB_ID": "4711042",
    "SLURM_JOB_NAME": "train",
    "SLURM_STEP_ID": "0",
    "SLURM_NTASKS": "9",
    "SLURM_NTASKS_PER_NODE": "4",
    "SLURM_PROCID": "6",
    "SLURM_LOCALID": "2",
    "SLURM_NODEID": "1",
    "SLURM_NODELIST": "gpu[003-004,7],login1",
    "SLURM_TASKS_PER_NODE": "4(x2),1",
}


@pytest.fixture(autouse=True)
def nothing_says_anything(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in os.environ:
        if name.startswith(OF_LAUNCHERS) or name in (*PLACE, *ADDRESS):
            monkeypatch.delenv(name)
    environment = dict(os.environ)
    monkeypatch.setattr(os, "environ", environment)


def says(**variables: str) -> dict[str, str]:
    """What is found of the place and the address, where this is in the environment."""
    os.environ.update(variables)
    found = launch_variables()
    return {name: found[name] for name in (*PLACE, *ADDRESS) if name in found}


def test_slurm() -> None:
    """The place is the task's, and the address the first node's, as Lightning finds them."""
    found = says(**SLURM)
    assert found == {
        "RANK": "6",
        "LOCAL_RANK": "2",
        "WORLD_SIZE": "9",
        "LOCAL_WORLD_SIZE": "4",
        "GROUP_RANK": "1",
        "MASTER_ADDR": "gpu003",
        "MASTER_PORT": "16042",
    }
    for name in ADDRESS:
        del os.environ[name]
    lightnings = SLURMEnvironment()
    assert found["MASTER_ADDR"] == lightnings.main_address
    assert found["MASTER_PORT"] == str(lightnings.main_port)
    assert found["RANK"] == str(lightnings.global_rank())
    assert found["GROUP_RANK"] == str(lightnings.node_rank())


@pytest.mark.parametrize(
    "nodes", ["a1", "a1,b2", "a[1-3]", "a[1]", "a[1,5-7],b", "gpu-a[01-12]", "10.0.0.[1-3]"]
)
def test_the_first_node_is_lightnings(nodes: str) -> None:
    found = says(**{**SLURM, "SLURM_NODELIST": nodes})
    assert found["MASTER_ADDR"] == SLURMEnvironment.resolve_root_node_address(nodes)


def test_the_first_of_nodes_with_two_ranges() -> None:
    """Lightning's pattern takes what stands between the brackets as well."""
    assert says(**{**SLURM, "SLURM_NODELIST": "rack[1-2]-gpu[05-08],b[3-4]"})["MASTER_ADDR"] == "rack1-gpu05"


def test_a_step_has_nodes_of_its_own() -> None:
    """A step on some of the job's nodes begins at its own first one."""
    step = {"SLURM_STEP_NODELIST": "gpu[007-008]", "SLURM_STEP_TASKS_PER_NODE": "3,6"}
    found = says(**SLURM, **step)
    assert (found["MASTER_ADDR"], found["LOCAL_WORLD_SIZE"]) == ("gpu007", "6")


def test_an_address_may_be_chosen() -> None:
    found = says(**SLURM, MASTER_ADDR="10.1.1.1", MASTER_PORT="29500")
    assert (found["MASTER_ADDR"], found["MASTER_PORT"]) == ("10.1.1.1", "29500")


@pytest.mark.parametrize("changed", [{"SLURM_JOB_NAME": "bash"}, {"SLURM_NTASKS": "1"}])
def test_a_shell_is_alone(changed: dict[str, str]) -> None:
    assert says(**{**SLURM, **changed}) == {}


def test_tasks_that_srun_did_not_start() -> None:
    del (variables := dict(SLURM))["SLURM_STEP_ID"]
    with pytest.raises(SystemExit, match=r"^SLURM has 9 tasks: start the script with srun$"):
        says(**variables)


def test_torchrun_is_asked_first() -> None:
    """As where srun starts torchrun, once for each node."""
    place = {"RANK": "1", "LOCAL_RANK": "1", "WORLD_SIZE": "2", "LOCAL_WORLD_SIZE": "2", "GROUP_RANK": "0"}
    assert says(**SLURM, **place) == place


def test_variables_that_contradict_each_other() -> None:
    with pytest.raises(SystemExit, match=r"^WORLD_SIZE is 8, but the launcher says 9$"):
        says(**SLURM, WORLD_SIZE="8")


def test_lsf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first line of the rank file is the node that launches, which does not compute."""
    file = tmp_path / "ranks"
    file.write_text("batch1\nnode7\nnode7\nnode9\nnode9\n")
    monkeypatch.setattr(socket, "gethostname", lambda: "node9")
    variables = {"JSM_NAMESPACE_SIZE": "4", "JSM_NAMESPACE_RANK": "3", "JSM_NAMESPACE_LOCAL_RANK": "1"}
    found = says(**variables, LSB_JOBID="81123", LSB_DJOB_RANKFILE=str(file))
    assert found == {
        "RANK": "3",
        "LOCAL_RANK": "1",
        "WORLD_SIZE": "4",
        "LOCAL_WORLD_SIZE": "2",
        "GROUP_RANK": "1",
        "MASTER_ADDR": "node7",
        "MASTER_PORT": "10123",
    }
    for name in ADDRESS:
        del os.environ[name]
    lightnings = LSFEnvironment()
    assert (found["MASTER_ADDR"], found["MASTER_PORT"]) == (
        lightnings.main_address,
        str(lightnings.main_port),
    )
    assert found["GROUP_RANK"] == str(lightnings.node_rank())


def test_a_host_that_lsf_does_not_know(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "ranks").write_text("batch1\nnode7\n")
    monkeypatch.setattr(socket, "gethostname", lambda: "elsewhere")
    variables = {"JSM_NAMESPACE_SIZE": "4", "LSB_JOBID": "1", "LSB_DJOB_RANKFILE": str(tmp_path / "ranks")}
    with pytest.raises(SystemExit, match=r"^elsewhere is not a node of LSB_DJOB_RANKFILE$"):
        says(**variables)


def test_kubeflow() -> None:
    """Each pod runs one process."""
    given = {"RANK": "2", "WORLD_SIZE": "4", "MASTER_ADDR": "job-master-0", "MASTER_PORT": "23456"}
    assert says(**given) == {**given, "LOCAL_RANK": "0", "LOCAL_WORLD_SIZE": "1", "GROUP_RANK": "2"}


def test_a_world_of_which_not_all_is_said() -> None:
    with pytest.raises(SystemExit, match=r"^RANK and MASTER_PORT must be set, as others of RANK, "):
        says(WORLD_SIZE="4", MASTER_ADDR="job-master-0")


def test_nothing_started_it() -> None:
    assert says() == {}


def test_mpi_without_mpi4py(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mpi4py.MPI", None)
    with pytest.raises(SystemExit, match=r"^mpiexec started this process, but .*mpi4py"):
        says(PMI_SIZE="2")


class Communicator:
    """That of rank 3 of four, the second on its node, of two."""

    rank, size = 3, 4

    def Split_type(self, kind: str) -> SimpleNamespace:
        assert kind == "shared"
        return SimpleNamespace(rank=1, size=2)

    def allgather(self, own: str) -> list[str]:
        return ["b", "b", own, own]

    def bcast(self, own: tuple[str, int]) -> tuple[str, int]:
        assert own[0] == "c"
        assert own[1] > 1023
        return "b", 4711


def test_mpi(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ranks agree on the first one's address, and nodes are counted by their names."""
    mpi = SimpleNamespace(COMM_WORLD=Communicator(), COMM_TYPE_SHARED="shared")
    monkeypatch.setitem(sys.modules, "mpi4py", SimpleNamespace())
    monkeypatch.setitem(sys.modules, "mpi4py.MPI", mpi)
    monkeypatch.setattr(socket, "gethostname", lambda: "c")
    assert says(PMI_SIZE="4") == {
        "RANK": "3",
        "LOCAL_RANK": "1",
        "WORLD_SIZE": "4",
        "LOCAL_WORLD_SIZE": "2",
        "GROUP_RANK": "1",
        "MASTER_ADDR": "b",
        "MASTER_PORT": "4711",
    }
