"""Notebooks for students and instructors, and the mini-project."""
