"""What does a newcomer crawl without a network? A little web on tropical fish, bundled with Shoal.

The files under `web/` are the pages, one folder per host, written for the project; `server` puts
them on loopback addresses under their own names. `web/index.toml` says what a crawl should find.
"""

from shoal.demo.server import DemoWeb, Request, serve

__all__ = ["DemoWeb", "Request", "serve"]
