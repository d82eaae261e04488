"""One step, Assumption 1, the margin, the flow of p, means over bins."""
