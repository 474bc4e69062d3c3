"""What code stores in hydra's ConfigStore, read without importing it: dataclasses and mappings."""
