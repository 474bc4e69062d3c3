"""Ranks that have a share each of parameters, gradients or optimizer states."""
