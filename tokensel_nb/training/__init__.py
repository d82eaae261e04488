"""What trains a model, and keeps the state of a run."""
