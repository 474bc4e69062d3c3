"""What constructors take: values of the spec as code, by the types of their parameters."""
