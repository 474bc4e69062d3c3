"""What each form of code does with values: one file for each kind of rule."""
