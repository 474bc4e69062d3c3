"""For every test: one thread a process, and a worker that it shares with its file's others."""

import compileall
import gc
import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from ddpgen import compile as compiler

ROOT = Path(__file__).parents[1]

# two test workers and their processes share the cores
os.environ.setdefault("OMP_NUM_THREADS", "1")

# syntax trees are many and small: to go through them more often takes a tenth of each build
gc.set_threshold(2_000_000, 10, 100)


def pytest_configure(config: pytest.Config) -> None:
    """Processes that tests start load ddpgen compiled, also where Python is told to write no bytecode."""
    if not hasattr(config, "workerinput"):
        for folder in ("codegen", "strategies"):
            compileall.compile_dir(ROOT / folder, quiet=2)


@pytest.fixture(scope="session", autouse=True)
def _settings_end_here(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Black looks no further up for settings: whatever else lies in the temporary folder, tests are alone."""
    (tmp_path_factory.getbasetemp() / ".hg").mkdir(exist_ok=True)


@pytest.fixture(autouse=True)
def _modules_of_projects_end_here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What a project has called `settings` is no other project's."""
    before, folder = {*sys.modules}, str(tmp_path_factory.getbasetemp())
    yield
    for name in {*sys.modules} - before:
        module = sys.modules[name]
        path = getattr(module, "__path__", None)  # some of torch's is no list
        places = [getattr(module, "__file__", None), *(path if isinstance(path, Iterable) else ())]
        if any(str(each).startswith(folder) for each in places):
            del sys.modules[name]


# In these, scripts are run or but built: how they are written is seen by others, and black takes two fifths of a build.
RUN_ALONE = frozenset("""
    parity test_accelerator test_background_saving test_before_imports test_callback_projects
    test_callback_tables test_claimed_folders test_comm_hooks test_compile test_configurations test_configured_plugins
    test_constructs test_data_parallel test_displays test_failing_ranks test_fresh_values test_fsdp
    test_hydra_template test_installed_packages test_join test_kept_defaults test_kinds test_loaded_files
    test_local_sgd test_manual test_mixed_precision test_model_parallel test_on_nan test_plan test_preemption
    test_projects test_remote_places test_replicas test_restarts test_resumed_epochs test_resumed_steps
    test_sharded_checkpoints test_sharded_optimizer test_stored_configurations test_strategy_matrix test_verify
    test_within_epoch
    """.split())


@pytest.fixture(scope="module", autouse=True)
def _without_black(request: pytest.FixtureRequest) -> Iterator[None]:
    """Leave scripts as they are rendered, where they are but run."""
    with pytest.MonkeyPatch.context() as patch:
        if group_of(request.path) in RUN_ALONE:
            patch.setattr(compiler, "formatted", lambda text, mode: text)
        yield


# What forks a worker hundreds of times comes while workers are small; then those of a quarter of a minute and more, the
# longest first, so that no worker is left with one at the end.
FIRST = (
    "test_killed_writes test_beside "
    "test_projects parity test_choices test_strategy_matrix test_callback_projects test_fsdp "
    "test_examples test_compile strategies test_values_are_sound test_failing_ranks test_plan test_verify "
    "test_claimed_folders test_model_parallel_plan test_hostile test_sharded_checkpoints "
    "test_comm_hooks test_merging test_preemption test_data_parallel test_within_epoch "
    "test_hydra_template test_background_saving test_model_parallel test_configurations"
).split()


# before xdist looks for groups
@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What a file's fixtures prepare is prepared once; some folders' files share what theirs prepare."""
    for item in items:
        if not item.get_closest_marker("xdist_group"):
            item.add_marker(pytest.mark.xdist_group(group_of(item.path)))
    items.sort(key=lambda item: FIRST.index(group) if (group := group_of(item.path)) in FIRST else len(FIRST))


def group_of(file: Path) -> str:
    return file.parent.name if file.parent.name in ("parity", "strategies") else file.stem


def pytest_collection_finish() -> None:
    """What is there by now stays, and is not gone through again."""
    gc.collect()
    gc.freeze()
