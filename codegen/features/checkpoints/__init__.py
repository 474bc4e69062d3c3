"""What is saved, when, and how a run goes on."""
