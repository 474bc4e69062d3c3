from dataclasses import dataclass


@dataclass
class Counts:
    name: str
    of: object

    def now(self):
        return self.name, self.of.local_rank
