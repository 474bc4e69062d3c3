"""Generated scripts against Lightning: the same data, the same seeds, the same bits."""
