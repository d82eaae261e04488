"""A classifier of your own texts, and what it relies on."""
