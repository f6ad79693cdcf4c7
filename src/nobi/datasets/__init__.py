"""Datasets: human game records, checked, cleaned and ready to be learnt from.

The way of a record, in the order in which to read: `sources` (bytes out of folders and archives), `parsing` (SGF)
with `values` (ranks, dates and the like), `filters`, `checking` (replay by the rules), `identity` (duplicates and the
split), `batches` (all of this for some hundred records), `workers` (over processes), `importing` (the whole), `store`
and `folder` (what is written), `dataset` (what is read), `summary`.
"""
