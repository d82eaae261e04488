"""What attention computes, its gradient, and every model as one class with the same verbs."""
