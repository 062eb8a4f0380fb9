"""What run.py is made of: programs, how they are built and run, and one module for each section."""
