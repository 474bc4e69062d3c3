"""The runtime's code, folded by what is known when building."""
