"""One module for each section of run.py. Each has `run(session)`, which fills the session's tables."""
