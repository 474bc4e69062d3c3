import lightning

LARGE = False
