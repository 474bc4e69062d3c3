"""The runtime of generated scripts: its definitions, and what one script needs of them."""
