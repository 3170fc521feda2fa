"""The Understander port: each page gets its answer, and one that kills costs only itself."""

import asyncio

import pytest

from shoal.model.document import Fate
from shoal.model.outcome import Outcome
from shoal.model.visit import Fetched, Visit
from shoal.ports import Understander
from shoal.understand.pool import Pool
from tests.understand.parts import pool_of

LIMIT_SECONDS = 120


def asked(name: str, body: bytes) -> tuple[Visit, Fetched]:
    visit = Visit(f"https://reef.example/{name}", name.encode(), b"site")
    return visit, Fetched(Outcome.OK, 200, body=body)


@pytest.mark.parametrize("kind", [Pool])
def test_a_page_that_kills_its_reader_costs_only_itself(kind: type[Pool]) -> None:
    async def main() -> None:
        pool = pool_of()
        assert type(pool) is kind
        understander: Understander = pool
        bodies = [b"echo", b"segv", b"echo", b"exit 3", b"raise", b"echo"]
        try:
            async with asyncio.timeout(LIMIT_SECONDS):
                found = await asyncio.gather(
                    *(
                        understander.understand(*asked(f"p{number}", body))
                        for number, body in enumerate(bodies)
                    )
                )
        finally:
            await pool.close()
        for number, (body, answer) in enumerate(zip(bodies, found, strict=True)):
            [document] = answer.documents
            if body == b"echo":
                assert document.title.startswith(f"https://reef.example/p{number} ")
            else:
                assert document.fate is Fate.UNCONVERTIBLE
                assert document.problem

    asyncio.run(main())
