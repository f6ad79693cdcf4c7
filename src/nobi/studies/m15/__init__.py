"""Maddison et al. 2015 (M15)."""
