"""Tests of the package, with the models in `examples/` alone."""
