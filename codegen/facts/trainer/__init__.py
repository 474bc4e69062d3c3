"""What Trainers are told, in code and in the spec."""
