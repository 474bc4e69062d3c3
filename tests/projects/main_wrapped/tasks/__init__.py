from .wrapping import named, task_wrapper, with_model
