"""What Lightning offers, by name, and what a script does with it; what Lightning 1 had; names inside its classes."""
