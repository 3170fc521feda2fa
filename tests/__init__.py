"""The tests of Shoal; a package, so that suites share the synthetic web in `tests.world`."""
