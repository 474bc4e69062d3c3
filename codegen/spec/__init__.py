"""The strategy spec: read from YAML or a preset, and validated; and its JSON Schema."""
