from nets import cells

SCALES = {"halved": cells.HALF}
