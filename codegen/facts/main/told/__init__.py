"""What a build is told of the code's command line and its configuration, and what follows for the classes it makes."""
