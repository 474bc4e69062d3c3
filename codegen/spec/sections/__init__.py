"""The sections of a spec, each with its rules and defaults."""
