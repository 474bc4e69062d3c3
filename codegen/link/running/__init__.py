"""In what order Python runs a project, and what it then has done."""
