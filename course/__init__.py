"""The notebooks of students and instructors, and the mini-project."""
