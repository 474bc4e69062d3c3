"""From the IR to text: templates, imports, names, black, and the checks before a script is written."""
