"""What does a strategy take of each rank's memory, and of the network? Each is tried without data, and counted."""

from .candidates import Candidate
from .estimate import Estimate, Request, estimates
from .report import Need, as_data, first_that_fits, sentences, table

__all__ = [
    "Candidate",
    "Estimate",
    "Need",
    "Request",
    "as_data",
    "estimates",
    "first_that_fits",
    "sentences",
    "table",
]
