"""From an entry file to a project: its modules found, what is reached of them made one, its classes told."""
