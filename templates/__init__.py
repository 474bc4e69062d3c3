"""The sections of a generated script, one Jinja template each; read as text, never imported for code."""
