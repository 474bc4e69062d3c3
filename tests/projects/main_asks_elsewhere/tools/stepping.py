def steps(trainer):
    return trainer.num_training_batches * trainer.current_epoch
