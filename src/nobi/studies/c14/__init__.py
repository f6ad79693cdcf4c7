"""Clark & Storkey 2014 (C14)."""
