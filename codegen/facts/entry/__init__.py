"""Where training starts: the statements that are run, and what they make and call."""
