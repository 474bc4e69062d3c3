"""Ranks, process groups, gradient synchronisation and collectives."""
