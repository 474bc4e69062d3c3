"""Ranks that have a share each of parameters or optimizer states."""
