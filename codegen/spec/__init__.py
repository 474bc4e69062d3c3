"""The strategy spec: read from YAML or a preset, validated, and written for `ddpgen init`."""
