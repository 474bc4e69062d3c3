"""The runtime of generated scripts: plain functions and small classes, pasted where a script uses them."""
