from shared.mixins import Named


class Tiles(Named):
    pass
