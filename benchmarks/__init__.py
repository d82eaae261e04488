"""Timings side by side; make bench records them in data/benchmarks.json."""
