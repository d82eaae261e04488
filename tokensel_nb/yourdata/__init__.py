"""A classifier of your own texts, what it relies on, and the report about it."""
