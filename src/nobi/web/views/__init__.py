"""The views of the page: widgets only; all computations are in the parent package."""
