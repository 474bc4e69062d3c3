"""Ranks, devices, process groups and collectives."""
