"""Figures for print: colour-blind safe, with labelled axes and intervals, as PNG and SVG."""
