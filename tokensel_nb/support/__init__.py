"""What everything stands on: arrays of numpy and torch, checks of arguments, files, threads."""
