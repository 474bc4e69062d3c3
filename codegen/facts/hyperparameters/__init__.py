"""What is saved of the arguments that objects are made with: by their classes, and by code outside."""
