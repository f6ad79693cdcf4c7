"""The views of the page: widgets only, everything that computes is in the modules above."""
