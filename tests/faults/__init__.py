"""Trainings that are struck: see inject_faults.py."""
