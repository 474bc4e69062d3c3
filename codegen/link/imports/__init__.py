"""What the project imports and does not have: of libraries, or at all."""
