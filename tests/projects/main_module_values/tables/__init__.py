from tables.base import Base  # noqa: F401
