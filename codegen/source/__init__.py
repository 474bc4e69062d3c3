"""The user's code as it is read: files, trees, statements, classes, and the names in them."""
