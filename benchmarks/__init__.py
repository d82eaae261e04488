"""Side-by-side timings; ``make bench`` runs them and records ``data/benchmarks.json``. Never part of the tests."""
