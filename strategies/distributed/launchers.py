"""What started this process, where it was not torchrun."""

import os
import re
import socket
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path


def launch_variables() -> Mapping[str, str]:
    """The environment, in which what other launchers say has torchrun's names too."""
    if "LOCAL_RANK" not in os.environ:  # set by torchrun, or by an earlier call
        for name, value in launcher_says().items():
            given = os.environ.setdefault(name, value)
            if given != value and not name.startswith("MASTER_"):  # yours to choose
                raise SystemExit(f"{name} is {given}, but the launcher says {value}")
    return os.environ


def launcher_says() -> dict[str, str]:
    """This process's place, by torchrun's names; nothing where no launcher started it."""
    return (
        slurm_variables() or lsf_variables() or mpi_variables() or kubeflow_variables()
    )


def slurm_variables() -> dict[str, str]:
    """The place that srun gave this process, and the first node's address."""
    env = os.environ
    tasks = env.get("SLURM_NTASKS", "1")
    if tasks == "1" or env.get("SLURM_JOB_NAME") in ("bash", "interactive"):
        return {}
    if "SLURM_STEP_ID" not in env:
        raise SystemExit(f"SLURM has {tasks} tasks: start the script with srun")
    node = int(env["SLURM_NODEID"])
    nodes = env.get("SLURM_STEP_NODELIST") or env["SLURM_NODELIST"]
    counts = env.get("SLURM_STEP_TASKS_PER_NODE") or env["SLURM_TASKS_PER_NODE"]
    return {
        "RANK": env["SLURM_PROCID"],
        "LOCAL_RANK": env["SLURM_LOCALID"],
        "WORLD_SIZE": tasks,
        "LOCAL_WORLD_SIZE": str(tasks_of_nodes(counts)[node]),
        "GROUP_RANK": str(node),
        # the first of gpu[003-007,12],login1
        "MASTER_ADDR": re.sub(r"\[(\w+)[^]]*\]", r"\1", nodes).partition(",")[0],
        "MASTER_PORT": str(15000 + int(env["SLURM_JOB_ID"][-4:])),
    }


def tasks_of_nodes(counts: str) -> list[int]:
    """How many tasks each node has, from a list such as `4(x2),1`: 4, 4 and 1."""
    parts = re.findall(r"(\d+)(?:\(x(\d+)\))?", counts)
    return [int(tasks) for tasks, nodes in parts for _ in range(int(nodes or 1))]


def lsf_variables() -> dict[str, str]:
    """The place that jsrun gave this process, and the address of the first node that computes."""
    env = os.environ
    if "JSM_NAMESPACE_SIZE" not in env:
        return {}
    _, *lines = Path(env["LSB_DJOB_RANKFILE"]).read_text().split()  # the first launches
    nodes, here = list(dict.fromkeys(lines)), socket.gethostname()
    if here not in nodes:
        raise SystemExit(f"{here} is not a node of LSB_DJOB_RANKFILE")
    size = int(env["JSM_NAMESPACE_SIZE"])
    return {
        "RANK": env["JSM_NAMESPACE_RANK"],
        "LOCAL_RANK": env["JSM_NAMESPACE_LOCAL_RANK"],
        "WORLD_SIZE": str(size),
        "LOCAL_WORLD_SIZE": str(-(-size // len(nodes))),
        "GROUP_RANK": str(nodes.index(here)),
        "MASTER_ADDR": nodes[0],
        "MASTER_PORT": str(10000 + int(env["LSB_JOBID"]) % 1000),
    }


def mpi_variables() -> dict[str, str]:
    """The place that mpiexec gave this process. Every rank calls this."""
    started = {"OMPI_COMM_WORLD_SIZE", "MV2_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK"}
    if started.isdisjoint(os.environ):
        return {}
    try:
        mpi = import_module("mpi4py.MPI")
    except (ImportError, RuntimeError) as error:  # mpi4py, or the library that it needs
        raise SystemExit(f"mpiexec started this process, but {error}") from None
    world, here = mpi.COMM_WORLD, socket.gethostname()
    node = world.Split_type(mpi.COMM_TYPE_SHARED)
    nodes = sorted(set(world.allgather(here)))
    address, port = world.bcast((here, free_port()))
    return {
        "RANK": str(world.rank),
        "LOCAL_RANK": str(node.rank),
        "WORLD_SIZE": str(world.size),
        "LOCAL_WORLD_SIZE": str(node.size),
        "GROUP_RANK": str(nodes.index(here)),
        "MASTER_ADDR": address,
        "MASTER_PORT": str(port),
    }


def free_port() -> int:
    """One on which nothing listens now."""
    with socket.socket() as listener:
        listener.bind(("", 0))
        port: int = listener.getsockname()[1]
        return port


def kubeflow_variables() -> dict[str, str]:
    """The place of this pod, of one process, among those of a PyTorchJob."""
    env = os.environ
    if env.get("WORLD_SIZE", "1") == "1":
        return {}
    needed = ("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")
    if missing := [name for name in needed if name not in env]:
        raise SystemExit(
            f"{' and '.join(missing)} must be set, as others of {', '.join(needed)} are"
        )
    return {"LOCAL_RANK": "0", "LOCAL_WORLD_SIZE": "1", "GROUP_RANK": env["RANK"]}
