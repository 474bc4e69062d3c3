"""How data is loaded, limited, moved and run through."""
