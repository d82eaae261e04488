"""Reviews from one's own files and tables, of whatever kind."""
