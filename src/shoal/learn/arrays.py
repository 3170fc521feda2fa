"""Of what are a model's numbers made? The arrays that this room counts with."""

import numpy as np
from numpy.typing import NDArray

Keys = NDArray[np.uint32]
"""Numbers of words, of columns, of examples."""
Values = NDArray[np.float32]
Table = NDArray[np.float32]
Floats = NDArray[np.float64]
