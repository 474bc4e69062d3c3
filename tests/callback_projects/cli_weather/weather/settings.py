"""What the command line has by default."""

TITLE = "forecast"
WARM = 0.0
BEST = "kept in {}".format(len(TITLE))
