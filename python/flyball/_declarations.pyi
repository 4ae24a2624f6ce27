# The table that declarations.py makes from the C headers: its types are those of C, known at run time.
from typing import Any

ffi: Any
