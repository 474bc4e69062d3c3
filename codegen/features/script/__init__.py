"""The functions that the features are put into: `fit`, `main`, evaluations, and what stands round them."""
