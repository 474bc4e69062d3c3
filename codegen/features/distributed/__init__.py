"""The processes of a training: what starts them, what each runs on, and how they end."""
