"""Long runs whose results the book shows recorded: make record, make playthings."""
