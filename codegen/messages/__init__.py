"""Every error and warning, one function each; the function's name is the diagnostic's code.

A message says what is wrong and what to do. Functions on code take where it stands (`At`); the others a path.
"""

# ruff: noqa: F403

from .classes import *
from .files import *
from .main import *
from .making import At as At
from .making import Command as Command
from .making import Place as Place
from .members import *
from .project import *
from .scripts import *
from .spec import *
from .training import *
