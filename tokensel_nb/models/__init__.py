"""The models, one class each, with the same verbs; those that need torch are imported when they are asked for."""
