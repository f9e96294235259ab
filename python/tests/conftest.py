"""Tests keep no wisdom of this machine and leave none."""

import os

os.environ.setdefault("SWIRL_WISDOM", ":memory:")
os.environ.setdefault("SWIRL_KERNEL_CACHE", "off")
