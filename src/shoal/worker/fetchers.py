"""What fetches, set up as the configuration says? For a crawl, and for whoever asks a few URLs."""

from collections.abc import Callable, Iterable
from importlib.metadata import entry_points

from shoal.body_memory import BodyMemory
from shoal.clock import Clock
from shoal.config import Config
from shoal.errors import UsageError
from shoal.fetch.dns import Resolver
from shoal.fetch.file import FileFetcher
from shoal.fetch.ftp import FtpFetcher
from shoal.fetch.guard import public_only
from shoal.fetch.http import HttpFetcher
from shoal.fetch.schemes import GROUP, Schemes
from shoal.fetch.settings import DnsSettings, FtpSettings, Guard, HttpSettings
from shoal.sources.disk.permissions import readers_of_crawled

_BUILT_IN = ("file", "ftp", "http", "https")


def resolver(config: Config, clock: Clock) -> Resolver:
    return Resolver(config.resolve, clock, DnsSettings(nameservers=config.fetch.nameservers))


def http_fetcher(  # noqa: PLR0913 - each is another thing
    config: Config,
    names: Resolver,
    clock: Clock,
    may_ask: Callable[[], bool] | None = None,
    is_nameless: Callable[[], bool] | None = None,
    bodies: BodyMemory | None = None,
) -> HttpFetcher:
    fetch = config.fetch
    settings = HttpSettings(
        agent=config.agent.user_agent(),
        accept_language=fetch.accept_language,
        proxy=fetch.proxy,
        insecure_hosts=frozenset(fetch.insecure_hosts),
        connect_timeout=fetch.connect_timeout,
        idle_timeout=fetch.idle_timeout,
        total_timeout=fetch.total_timeout,
        max_body_bytes=fetch.max_body,
        max_requisite_bytes=config.archive.max_requisite,
        max_header_bytes=fetch.max_headers,
        may_ask=may_ask,
        is_nameless=is_nameless,
        bodies=bodies or BodyMemory(fetch.body_memory),
    )
    return HttpFetcher(settings, names, clock, guard(config))


def guard(config: Config) -> Guard | None:
    """Who says which addresses a page may lead to."""
    return None if config.fetch.allow_private == "yes" else public_only


def require_schemes(urls: Iterable[str]) -> None:
    """A seed that nobody can fetch is refused before a crawl starts."""
    known = sorted({*_BUILT_IN, *(each.name for each in entry_points(group=GROUP))})
    for url in urls:
        scheme = url.partition(":")[0]
        if scheme not in known:
            names = f"{', '.join(known[:-1])} and {known[-1]}"
            raise UsageError(f"{url!r} can't be fetched: the schemes that work are {names}")


def fetchers(  # noqa: PLR0913 - each is another thing
    config: Config,
    names: Resolver,
    clock: Clock,
    may_ask: Callable[[], bool] | None = None,
    is_nameless: Callable[[], bool] | None = None,
    bodies: BodyMemory | None = None,
) -> Schemes:
    """One for every scheme that is built in; others are found when they are first asked for.
    `may_ask` is asked once more when a request over HTTP is about to leave, `is_nameless` before
    one to a public address."""
    http = http_fetcher(config, names, clock, may_ask, is_nameless, bodies)
    file = FileFetcher(clock, config.fetch.max_body)
    if config.files.readers == "file":
        file = FileFetcher(clock, config.fetch.max_body, readers_of_crawled)
    login = FtpSettings(agent=config.agent.user_agent(), is_nameless=is_nameless)
    ftp = FtpFetcher(login, names, clock, guard(config))
    return Schemes({"http": http, "https": http, "file": file, "ftp": ftp}, clock)
