"""A site with an archive, a mailbox, duplicates and a dead link, whose pages a test changes."""

import io
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager

from tests.crawl.own_site import OwnSite, own_site

TALES = {
    "reef": "The parrotfish of the outer reef sleep in a cocoon, and grind the coral to sand. ",
    "wreck": "A ketch lies on the bank since the winter of the long frost, its bell unclaimed. ",
    "buoy": "The red buoy was towed off by ice in March, and came ashore two parishes down. ",
    "pilot": "Pilots of this sound read the colour of the water, and trust no chart of it. ",
    "eel": "Eels leave the ponds in autumn nights, over wet grass, and nobody sees them go. ",
}
SAME = "Kelp grows a hand each day, and the otters wrap themselves in it to sleep at sea. "


def page(tale: str, links: str = "") -> str:
    return f"<title>{tale[:20]}</title><main><p>{tale * 3}</p></main>{links}"


def mailbox(*words: str) -> str:
    mails = []
    for number, word in enumerate(words, 1):
        says = " ".join(f"{word} number {number} swam past the boat {i} times." for i in range(12))
        when = f"Mon, 5 Jan 2026 10:00:0{number} +0000"
        mails.append(
            f"From a@example Mon Jan  5 10:00:0{number} 2026\nFrom: a@example\nTo: b@example\n"
            f"Subject: {word} {number}\nDate: {when}\n\n{says}\n\n"
        )
    return "".join(mails)


def archive(*tales: str) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as file:
        for number, tale in enumerate(tales):
            file.writestr(zipfile.ZipInfo(f"{number}.txt"), tale * 12)
    return data.getvalue()


GULLS = "Gulls drop mussels on the quay until they break, and know which stones are best. "
TIDES = "The tide tables of the old harbour are right on every day but that of the fair. "
NETS = "Nets are mended on the south wall, where the wind dries them and the cats wait. "
MEMBERS, MAILS = (GULLS, TIDES, NETS), ("haddock", "turbot")


@contextmanager
def counted_site() -> Iterator[OwnSite]:
    with own_site() as running:
        names = [*TALES, "twin-a", "twin-b", "old.zip", "post.mbox", "nowhere"]
        links = "".join(f"<a href='/{name}'>{name}</a> " for name in names)
        running.put("/", page("The harbour master keeps a book of all ships. ", links))
        for name, tale in TALES.items():
            running.put(f"/{name}", page(tale))
        running.put("/twin-a", page(SAME))
        running.put("/twin-b", page(SAME))
        running.put("/old.zip", archive(*MEMBERS), "application/zip")
        running.put("/post.mbox", mailbox(*MAILS), "application/mbox")
        yield running
