import functools

from lightning.pytorch.utilities import rank_zero_only

TIMED = True
SCALE = 1.0


@rank_zero_only
def say(text):
    print(text)


def timed(function):
    if not TIMED:
        return function

    @functools.wraps(function)
    def timing(*args):
        say("timed")
        return SCALE * function(*args)

    return timing
