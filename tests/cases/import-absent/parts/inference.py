from parts.saver import Saver, Writer

try:
    from parts.fused import fast
except ImportError:
    fast = None


def run(model):
    from parts.later import Later

    return Saver(model, fast, Later)
