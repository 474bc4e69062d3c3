"""The project's modules: where they stand, what their names mean, and what is imported of them."""
