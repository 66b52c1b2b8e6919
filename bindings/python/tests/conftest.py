"""Arithmetic with one thread, as the notebook has it: its threads wait for each other where others work."""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
