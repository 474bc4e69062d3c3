"""Memory that nobody needs any more."""

import gc
from contextlib import suppress

import torch


def garbage_collection_cuda() -> None:
    """Collect what nobody holds, and give back what the GPU keeps of it."""
    gc.collect()
    with suppress(torch.OutOfMemoryError):
        torch.cuda.empty_cache()
