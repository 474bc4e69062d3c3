"""What code asks of the kind of device that it runs on."""

from typing import ClassVar

import torch


class Accelerator:
    """A kind of device."""

    kind: ClassVar[str]

    @classmethod
    def name(cls) -> str:
        return cls.kind

    @classmethod
    def is_available(cls) -> bool:
        found = torch.accelerator.current_accelerator(check_available=True)
        return cls.kind == "cpu" or (found is not None and found.type == cls.kind)

    @classmethod
    def auto_device_count(cls) -> int:
        """How many of them a machine has; the CPU is one."""
        if cls.kind == "cpu":
            return 1
        return torch.accelerator.device_count() if cls.is_available() else 0


class CPUAccelerator(Accelerator):
    """The CPU."""

    kind = "cpu"


class CUDAAccelerator(Accelerator):
    """GPUs of CUDA or ROCm."""

    kind = "cuda"


class MPSAccelerator(Accelerator):
    """Apple's GPU."""

    kind = "mps"


class XPUAccelerator(Accelerator):
    """Intel's GPUs."""

    kind = "xpu"


def accelerator_of(device: torch.device) -> Accelerator:
    """What stands for a device's kind."""
    kinds = (CPUAccelerator, CUDAAccelerator, MPSAccelerator, XPUAccelerator)
    return next(each for each in kinds if each.kind == device.type)()
