"""The explorer: a page, served to this machine only, over the HTTP API.

`sessions` turns the secret of a link into keys that live as long as the process; `server` serves the page beside the
API under a strict content security policy. `page` holds plain ES modules, styles, texts in three languages, and the
vendored libraries with their licences (`page/vendor/README.md`).
"""

from oroi_graph.interfaces.explorer.server import Explorer, make_explorer
from oroi_graph.interfaces.explorer.sessions import Sessions, local_principals, of_key, opening_page

__all__ = ["Explorer", "Sessions", "local_principals", "make_explorer", "of_key", "opening_page"]
