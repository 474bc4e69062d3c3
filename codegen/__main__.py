"""`python -m ddpgen`."""

import os
import sys

# the user's folder, where a file may be called json.py
if sys.path[0] == "" or sys.path[0] == os.getcwd():
    del sys.path[0]

from .cli import main

main(prog_name="ddpgen")
