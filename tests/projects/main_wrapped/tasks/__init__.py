from .wrapping import named, task_wrapper
