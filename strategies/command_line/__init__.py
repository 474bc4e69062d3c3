"""The options of a script, and what code reads of settings and configurations."""
