"""How an optimizer step comes about: forward, backward, accumulation, clipping, the update, schedules."""
