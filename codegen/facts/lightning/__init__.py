"""What the code uses of Lightning beside its hooks: functions, constants, objects of the trainer's."""
