import msvcrt


def show(loss):
    msvcrt.putch(loss)
