"""Look-ups against a real name server: cached, shared, asked ahead, bounded, and never raising."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from shoal.errors import UsageError
from shoal.fetch.dns import MAX_ADDRESSES, Resolver
from shoal.fetch.http import HttpFetcher
from shoal.fetch.settings import DnsSettings, HttpSettings
from shoal.model.outcome import Outcome
from tests.fake_clock import FakeClock
from tests.fetch.conftest import Run
from tests.fetch.loopback import answering, response, serving, visit
from tests.fetch.nameserver import AAAA, CNAME, SERVFAIL, A, Zone, naming

PATIENT = DnsSettings(timeout=60, tries=1)
QUICK = DnsSettings(timeout=0.25, tries=1)


@asynccontextmanager
async def resolving(
    zone: Zone,
    clock: FakeClock | None = None,
    settings: DnsSettings = PATIENT,
    overrides: Mapping[str, str] | None = None,
) -> AsyncIterator[Resolver]:
    settings = replace(settings, nameservers=(zone.address,))
    resolver = Resolver(overrides or {}, clock or FakeClock(), settings)
    try:
        yield resolver
    finally:
        await resolver.close()


def test_both_families_ipv4_first(run: Run) -> None:
    async def main() -> None:
        async with naming() as zone, resolving(zone) as resolver:
            zone.add("fish.test", "2001:db8::1", "192.0.2.1", "192.0.2.2")
            found = await resolver.resolve("Fish.Test.")
            assert found.addresses == ("192.0.2.1", "192.0.2.2", "2001:db8::1")
            assert (found.port, found.problem, found.pinned) == (0, "", False)
            assert sorted(zone.asked) == [("fish.test", A), ("fish.test", AAAA)]

    run(main())


def test_one_family_is_enough(run: Run) -> None:
    async def main() -> None:
        async with naming() as zone, resolving(zone) as resolver:
            zone.add("six.test", "2001:db8::6")
            zone.add("four.test", "192.0.2.4")
            assert (await resolver.resolve("six.test")).addresses == ("2001:db8::6",)
            assert (await resolver.resolve("four.test")).addresses == ("192.0.2.4",)

    run(main())


def test_cached_for_its_ttl(run: Run) -> None:
    async def main() -> None:
        clock = FakeClock()
        async with naming() as zone, resolving(zone, clock) as resolver:
            zone.add("fish.test", "192.0.2.1", ttl=0)  # the least is 30 s all the same
            await resolver.resolve("fish.test")
            clock.advance(29)
            await resolver.resolve("fish.test")
            assert zone.asked.count(("fish.test", A)) == 1
            zone.add("fish.test", "192.0.2.9", ttl=0)
            clock.advance(2)
            assert (await resolver.resolve("fish.test")).addresses == ("192.0.2.9",)
            assert zone.asked.count(("fish.test", A)) == 2

    run(main())


@pytest.mark.parametrize(
    ("ttls", "kept"), [((500, 40), 40), ((500, 500), 500), ((7, 500), 30), ((10**7, 10**7), 86_400)]
)
def test_the_shortest_ttl_on_the_way_counts(run: Run, ttls: tuple[int, int], kept: int) -> None:
    async def main() -> None:
        clock = FakeClock()
        async with naming() as zone, resolving(zone, clock) as resolver:
            zone.records["www.test"] = [(CNAME, ttls[0], "real.test"), (A, ttls[1], "192.0.2.1")]
            first = await resolver.resolve("www.test")
            assert first.addresses == ("192.0.2.1",)
            clock.advance(kept - 1)
            assert await resolver.resolve("www.test") is first
            clock.advance(2)
            assert await resolver.resolve("www.test") is not first

    run(main())


def test_a_missing_name_is_remembered_for_a_minute(run: Run) -> None:
    async def main() -> None:
        clock = FakeClock()
        async with naming() as zone, resolving(zone, clock) as resolver:
            missing = await resolver.resolve("gone.test")
            assert (missing.addresses, missing.problem) == ((), "There is no such name.")
            clock.advance(59)
            await resolver.resolve("gone.test")
            assert len(zone.asked) == 2
            zone.add("gone.test", "192.0.2.1")
            clock.advance(2)
            assert (await resolver.resolve("gone.test")).addresses == ("192.0.2.1",)

    run(main())


def test_faults_are_values(run: Run) -> None:
    async def main() -> None:
        async with (
            naming() as zone,
            resolving(zone, None, QUICK) as quick,
            resolving(zone) as patient,
        ):
            zone.silent.add("silent.test")
            zone.garbled.add("garbled.test")
            zone.codes["failing.test"] = SERVFAIL
            zone.records["empty.test"] = [(15, 60, "192.0.2.1")]
            found = [await quick.resolve(name) for name in ("silent.test", "garbled.test")]
            found += [await patient.resolve(name) for name in ("failing.test", "empty.test")]
            assert [f.addresses for f in found] == [()] * 4
            assert found[0].problem == "The name server did not answer in time."
            assert found[3].problem == "The name has no address."
            assert all(f.problem.endswith(".") for f in found)

    run(main())


@pytest.mark.parametrize(
    "name",
    ["", ".", "a..b", "-", "a" * 64 + ".test", "x." * 130, "ä.test", "a b", "a\0b", "[", "1.2"],
)
def test_impossible_names(run: Run, name: str) -> None:
    async def main() -> None:
        async with naming() as zone, resolving(zone) as resolver:
            found = await resolver.resolve(name)
            assert found.addresses == ()
            assert found.problem

    run(main())


def test_a_hostile_list_is_shortened(run: Run) -> None:
    async def main() -> None:
        async with naming() as zone, resolving(zone) as resolver:
            zone.add("many.test", *(f"192.0.2.{i}" for i in range(28)))
            assert len((await resolver.resolve("many.test")).addresses) == MAX_ADDRESSES

    run(main())


def test_names_that_need_no_server(run: Run, tmp_path: Path) -> None:
    hosts = tmp_path / "hosts"
    hosts.write_bytes(
        b"# a comment\n::9 box\n192.0.2.9 box Box.lan # x\n\xff\xfe\nno-address x\n192.0.2.8\n"
    )

    async def main() -> None:
        settings = replace(PATIENT, hosts_file=str(hosts))
        table = {"over.test": "192.0.2.7:8080", "box.lan": "[::7]:80"}
        async with naming() as zone, resolving(zone, None, settings, table) as resolver:
            expected = {
                "192.0.2.1": ("192.0.2.1",),
                "[2001:DB8::1]": ("2001:db8::1",),
                "localhost": ("127.0.0.1", "::1"),
                "a.localhost.": ("127.0.0.1", "::1"),
                "box": ("192.0.2.9", "::9"),
                "BOX.lan": ("::7",),
                "over.test": ("192.0.2.7",),
            }
            for name, addresses in expected.items():
                assert (await resolver.resolve(name)).addresses == addresses
            assert (await resolver.resolve("over.test")).port == 8080
            assert (await resolver.resolve("over.test")).pinned
            assert resolver.override("OVER.test.") == await resolver.resolve("over.test")
            assert resolver.override("box") is None
            assert zone.asked == []

    run(main())


def test_one_look_up_serves_all_who_ask(run: Run) -> None:
    async def main() -> None:
        async with naming() as zone, resolving(zone) as resolver:
            zone.add("fish.test", "192.0.2.1")
            found = await asyncio.gather(*(resolver.resolve("fish.test") for _ in range(20)))
            assert {f.addresses for f in found} == {("192.0.2.1",)}
            assert len(zone.asked) == 2

    run(main())


def test_who_is_cancelled_takes_no_one_along(run: Run) -> None:
    async def main() -> None:
        async with naming() as zone, resolving(zone, None, QUICK) as resolver:
            zone.silent.add("fish.test")
            first = asyncio.create_task(resolver.resolve("fish.test"))
            second = asyncio.create_task(resolver.resolve("fish.test"))
            await zone.arrived.get()
            first.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await first
            assert first.cancelled()
            assert (await second).problem == "The name server did not answer in time."

    run(main())


def test_prefetched_names_are_at_hand(run: Run) -> None:
    async def main() -> None:
        settings = replace(PATIENT, prefetch_at_once=3, max_prefetch_waiting=8)
        async with naming() as zone, resolving(zone, None, settings) as resolver:
            names = [f"h{i}.test" for i in range(10)]
            for name in names:
                zone.add(name, "192.0.2.1")
            zone.silent.add("h0.test")  # holds up its batch, not the caller
            resolver.prefetch([*names, "localhost"])
            resolver.prefetch(names[:2])
            for _ in range(6):
                await zone.arrived.get()
            assert {name for name, _ in zone.asked} == {"h0.test", "h1.test", "h2.test"}
            assert (await resolver.resolve("h1.test")).addresses == ("192.0.2.1",)
            assert (await resolver.resolve("h9.test")).addresses == ("192.0.2.1",)
            assert len(zone.asked) == 8  # h1 was at hand, h9 was beyond what may wait

    run(main())


def test_prefetching_goes_on_to_the_end(run: Run) -> None:
    async def main() -> None:
        settings = replace(PATIENT, prefetch_at_once=3)
        async with naming() as zone, resolving(zone, None, settings) as resolver:
            names = {f"h{i}.test" for i in range(10)}
            for wave in (sorted(names)[:5], sorted(names)):
                resolver.prefetch(wave)
                while {name for name, _ in zone.asked} < set(wave):
                    await zone.arrived.get()
            assert {name for name, _ in zone.asked} == names

    run(main())


def test_the_cache_is_bounded(run: Run) -> None:
    async def main() -> None:
        settings = replace(PATIENT, max_entries=2)
        async with naming() as zone, resolving(zone, None, settings) as resolver:
            for name in ("a.test", "b.test", "c.test"):
                zone.add(name, "192.0.2.1", ttl=0)
                await resolver.resolve(name)
            await resolver.resolve("c.test")
            await resolver.resolve("b.test")
            assert zone.asked.count(("b.test", A)) == zone.asked.count(("c.test", A)) == 1
            await resolver.resolve("a.test")
            assert zone.asked.count(("a.test", A)) == 2

    run(main())


def test_a_preferred_address_comes_first(run: Run) -> None:
    async def main() -> None:
        async with naming() as zone, resolving(zone) as resolver:
            zone.add("fish.test", "192.0.2.1", "192.0.2.2", "192.0.2.3")
            await resolver.resolve("fish.test")
            resolver.prefer("fish.test", "192.0.2.3")
            resolver.prefer("fish.test", "192.0.2.99")
            resolver.prefer("unknown.test", "192.0.2.3")
            found = await resolver.resolve("fish.test")
            assert found.addresses == ("192.0.2.3", "192.0.2.1", "192.0.2.2")

    run(main())


def test_closing_ends_look_ups(run: Run) -> None:
    async def main() -> None:
        settings = replace(PATIENT, prefetch_at_once=1)
        async with naming() as zone, resolving(zone, None, settings) as resolver:
            zone.silent.update({"silent.test", "quiet.test"})
            hanging = asyncio.create_task(resolver.resolve("silent.test"))
            resolver.prefetch(["quiet.test", "other.test"])
            while len({name for name, _ in zone.asked}) < 2:
                await zone.arrived.get()
            await resolver.close()
            assert (await hanging).addresses == ()
            assert (await hanging).problem
            assert (await resolver.resolve("new.test")).problem
            resolver.prefetch(["new.test"])
            assert "new.test" not in {name for name, _ in zone.asked}

    run(main())


def test_a_name_server_must_be_an_address() -> None:
    with pytest.raises(UsageError, match=r"dns\.example"):
        Resolver({}, FakeClock(), DnsSettings(nameservers=("192.0.2.53:53", "dns.example")))


def test_fetching_by_name(run: Run) -> None:
    async def main() -> None:
        async with (
            naming() as zone,
            resolving(zone) as resolver,
            serving(answering(response(body=b"hello"))) as origin,
        ):
            zone.add("fish.test", "127.4.5.6")
            fetcher = HttpFetcher(HttpSettings(agent="t"), resolver, FakeClock())
            fetched = await fetcher.fetch(visit(f"http://fish.test:{origin.port}/"))
            missing = await fetcher.fetch(visit(f"http://gone.test:{origin.port}/"))
            await fetcher.close()
            assert (fetched.outcome, fetched.body) == (Outcome.OK, b"hello")
            assert fetched.address == f"127.4.5.6:{origin.port}"
            assert (missing.outcome, missing.note) == (Outcome.DNS, "There is no such name.")
            assert missing.requested  # fail closed: it counts as a request

    run(main())
