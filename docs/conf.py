# SPDX-License-Identifier: Apache-2.0
"""Sphinx configuration of the guide."""

from pathlib import Path

project = "cmm"
author = "The cmm developers"
release = (Path(__file__).parent.parent / "VERSION").read_text().strip()
extensions = ["myst_parser"]
myst_enable_extensions = ["colon_fence"]
html_theme = "furo"
html_title = f"cmm {release}"
exclude_patterns = ["_build"]
suppress_warnings = ["myst.xref_missing"]
