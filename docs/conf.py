"""The documentation as a site: `make docs` builds it into docs/_build/html."""

import nobi

project = "nobi"
author = "the nobi contributors"
copyright = "the nobi contributors"  # noqa: A001
version = release = nobi.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.viewcode", "sphinx_copybutton"]
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4
exclude_patterns = ["_build", "studies/discussion"]
suppress_warnings = ["myst.header", "misc.highlighting_failure"]

html_theme = "furo"
html_title = f"nobi {version}"
html_static_path: list[str] = []
html_theme_options = {"source_directory": "docs/"}

autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_typehints_format = "short"
