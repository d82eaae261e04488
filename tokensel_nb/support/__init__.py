"""What everything stands on: arrays of numpy and of torch, checks of arguments, files, threads, what is installed."""
