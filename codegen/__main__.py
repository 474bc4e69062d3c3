"""`python -m ddpgen`."""

from .cli import main

main(prog_name="ddpgen")
