"""Scripts on disk: what was generated, what was edited, how the two are merged, where they part."""
