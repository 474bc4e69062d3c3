"""What the spec describes, as code of the project's: class paths, objects, and the module that makes them."""
