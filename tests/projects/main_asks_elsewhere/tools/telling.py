def told(objects):
    trainer = objects.get("trainer")
    return trainer.max_epochs, trainer.global_step, sum(each.numel() for each in objects["model"].parameters())
