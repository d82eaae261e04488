"""One gradient step, the max-margin direction, Assumption 1, means over bins."""
