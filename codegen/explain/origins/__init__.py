"""Where each kind of line comes from: the user, the templates, the runtime, imports."""
