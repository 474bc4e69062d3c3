"""Loaders split over the ranks, batches brought to the device, limits."""
