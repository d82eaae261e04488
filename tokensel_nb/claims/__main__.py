"""What ``make claims`` runs."""

from . import main

main()
