"""A closed web of real pages on loopback addresses: build it, and serve it with nginx.

    python -m benchmarks.web            builds it and serves it until Ctrl-C
    python -m benchmarks.web --build    only builds it

Pages stand compressed beside the plain ones, so nginx spends next to nothing on a request and what
is measured is the crawler. Latency is the server's (the echo module sleeps before it answers): it
costs no proxy and touches nothing else on the machine.
"""

import argparse
import getpass
import gzip
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from benchmarks.closing import choose, close
from benchmarks.packages import Documentation, directory, documentation

PORT = 8590
_ROBOTS = "User-agent: *\nDisallow: /private/\n"
_LONGEST_START_SECONDS = 10
_MODULE = "ngx_http_echo_module.so"
_MODULE_PLACES = ("usr/lib/nginx/modules", "usr/lib/*/nginx/modules", "usr/lib64/nginx/modules")


class Web(NamedTuple):
    """A built web. Its files stand below `root`, one directory for each address."""

    root: Path
    port: int
    seeds: list[str]
    urls: list[str]
    addresses: list[str]
    body_bytes: int
    origin: list[str]

    def describe(self) -> str:
        mean = self.body_bytes / len(self.urls) / 1000
        return f"{len(self.urls)} pages of {mean:.1f} KB on {len(self.addresses)} addresses"


class Size(NamedTuple):
    pages: int = 5000
    hosts: int = 500
    port: int = PORT


def address(number: int) -> str:
    return f"127.42.{number // 250}.{1 + number % 250}"


def build(source: Documentation, work: Path, size: Size) -> Web:
    """Write the web below `work`, unless it is there. The same files make the same web."""
    root = work / f"web-{size.pages}-{size.hosts}-{size.port}"
    manifest = root / "web.json"
    if manifest.exists():
        stored = json.loads(manifest.read_text(encoding="utf-8"))
        return Web(**(stored | {"root": root}))
    shutil.rmtree(root, ignore_errors=True)
    starts, pages = choose(source, size.pages)
    if not starts:
        raise SystemExit(f"No page can be reached in {source.root}.")
    # Neighbours share a host, as they would: some links are local and some lead to another one.
    per_host = -(-len(pages) // size.hosts)
    hosts = {path: address(rank // per_host) for rank, path in enumerate(sorted(pages))}
    places = {path: f"{host}:{size.port}" for path, host in hosts.items()}
    body_bytes = 0
    for path, page in pages.items():
        body = close(page, lambda target: places.get(target, ""))
        body_bytes += len(body)
        _write(root / hosts[path] / path[1:], body)
    addresses = sorted(set(hosts.values()))
    for each in addresses:
        _write(root / each / "robots.txt", _ROBOTS.encode())
    web = Web(
        root,
        size.port,
        [f"http://{places[path]}{path}" for path in starts],
        sorted(f"http://{place}{path}" for path, place in places.items()),
        addresses,
        body_bytes,
        source.origin,
    )
    manifest.write_text(json.dumps(web._asdict() | {"root": ""}), encoding="utf-8")
    return web


def _write(file: Path, body: bytes) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(body)
    file.with_name(file.name + ".gz").write_bytes(gzip.compress(body, 6, mtime=0))


def stop_on_sigterm() -> None:
    """So that a benchmark which is told to end takes its server with it."""
    signal.signal(signal.SIGTERM, lambda _number, _frame: sys.exit("stopped"))


@contextmanager
def served(web: Web, latency_ms: int = 0) -> Iterator[None]:
    """nginx on the web's addresses, for as long as the block runs. Ours, and ended with it."""
    nginx = shutil.which("nginx", path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
    if nginx is None:
        raise SystemExit("nginx is missing; run: apt-get install nginx-light")
    with tempfile.TemporaryDirectory(prefix="shoal-nginx-") as state:
        config = Path(state) / "nginx.conf"
        config.write_text(_nginx_config(web, latency_ms, state), encoding="utf-8")
        server = subprocess.Popen(
            [nginx, "-p", state, "-c", str(config), "-e", "stderr"],
            stdin=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            _wait_until_up(server, web)
            yield
        finally:
            server.terminate()
            server.communicate()


def _wait_until_up(server: subprocess.Popen[str], web: Web) -> None:
    deadline = time.monotonic() + _LONGEST_START_SECONDS
    while server.poll() is None and time.monotonic() < deadline:
        with socket.socket() as probe:
            if probe.connect_ex((web.addresses[-1], web.port)) == 0:
                return
        time.sleep(0.02)
    server.terminate()
    raise SystemExit(f"nginx did not start: {server.communicate()[1].strip()[-500:]}")


def _nginx_config(web: Web, latency_ms: int, state: str) -> str:
    listens = "\n".join(f"    listen {each}:{web.port} backlog=1024;" for each in web.addresses)
    places = "\n".join(
        f"  {kind}_temp_path {state}/{kind};"
        for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    delay = f"echo_sleep {latency_ms / 1000}; echo_exec @page;"
    return f"""\
{f"load_module {_echo_module()};" if latency_ms else ""}
{f"user {getpass.getuser()};" if os.getuid() == 0 else ""}
daemon off;
pid {state}/pid;
error_log stderr crit;
worker_processes 1;
worker_rlimit_nofile 16384;
events {{ worker_connections 8192; }}
http {{
{places}
  access_log off;
  default_type text/html;
  types {{ text/plain txt; }}
  sendfile on;
  tcp_nopush on;
  keepalive_timeout 75s;
  keepalive_requests 100000;
  gzip_static on;
  open_file_cache max=20000 inactive=600s;
  open_file_cache_valid 600s;
  server {{
{listens}
    root {web.root.resolve()}/$server_addr;
    location / {{ {delay if latency_ms else ""} }}
    location @page {{ }}
  }}
}}
"""


def _echo_module() -> Path:
    for place in _MODULE_PLACES:
        for found in Path("/").glob(f"{place}/{_MODULE}"):
            return found
    raise SystemExit("Latency needs nginx's echo module: apt-get install libnginx-mod-http-echo")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What every benchmark that needs the web may be told."""
    parser.add_argument("--work", type=Path, default=Path(tempfile.gettempdir()) / "shoal-bench")
    parser.add_argument("--pages", type=int, default=Size().pages)
    parser.add_argument("--hosts", type=int, default=Size().hosts)
    parser.add_argument("--port", type=int, default=PORT)
    parser.add_argument(
        "--from", dest="source", type=Path, help="a directory of HTML, in place of the packages"
    )


def web_of(options: argparse.Namespace) -> Web:
    source = directory(options.source) if options.source else documentation(options.work)
    return build(source, options.work, Size(options.pages, options.hosts, options.port))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.web", description=__doc__)
    add_arguments(parser)
    parser.add_argument("--build", action="store_true", help="build it and do not serve it")
    parser.add_argument("--latency", type=int, default=0, metavar="MS")
    options = parser.parse_args()
    stop_on_sigterm()
    web = web_of(options)
    print(f"{web.describe()}, from {', '.join(web.origin)}; starts:")
    print("\n".join(web.seeds))
    if not options.build:
        with served(web, options.latency):
            try:
                while True:
                    time.sleep(3600)
            except KeyboardInterrupt:
                print("stopped")


if __name__ == "__main__":
    main()
