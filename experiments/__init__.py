"""What `make record` and `make playthings` run, once; the book shows what they stored."""
