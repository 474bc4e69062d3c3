"""What code asks of its trainer's profiler where none measures."""

from contextlib import AbstractContextManager, nullcontext


class PassThroughProfiler:
    """What a trainer has for a profiler: what it is told has no effect."""

    def profile(self, action_name: str) -> AbstractContextManager[str]:
        """The context of a part that has a name."""
        return nullcontext(action_name)

    def start(self, action_name: str) -> None:
        """A part begins."""

    def stop(self, action_name: str) -> None:
        """A part ends."""

    def describe(self) -> None:
        """What was measured is told."""
