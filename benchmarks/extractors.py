"""Reads pages with one extractor, for extract.py: a page as a line of JSON in, its content out.

Run by path in the environment of that extractor, so nothing of the project is imported but for its
own. Everyone gets the decoded page and does the rest within the time that is measured, parsing
included; settings are each one's defaults. What an extractor prints does not reach the answers.
"""

import json
import os
import re
import sys
import time
from collections.abc import Callable
from importlib import import_module
from importlib.metadata import version
from typing import TypedDict


class Request(TypedDict):
    html: str
    url: str
    model: str
    """The model's file for a trained method of Shoal's, nothing for the shipped one."""


Extract = Callable[[Request], str | None]

_WARM = "<html lang=en><title>A pond</title><body><article><h1>A pond</h1>" + (
    "<p>The fish in the pond were seen by all of the people who came to look at them, and when "
    "it was evening they went home and said that it had been a good day for fish.</p>" * 9
)
_LANGUAGE = re.compile(r"<html\b[^>]{0,2000}?\blang\s*=\s*[\"']?([a-z]{2,3})\b", re.IGNORECASE)
# fmt: off
_STOPLISTS = {
    "ar": "Arabic", "bg": "Bulgarian", "bn": "Bengali", "ca": "Catalan", "cs": "Czech",
    "da": "Danish", "de": "German", "el": "Greek", "en": "English", "es": "Spanish",
    "et": "Estonian", "fa": "Persian", "fi": "Finnish", "fr": "French", "he": "Hebrew",
    "hi": "Hindi", "hr": "Croatian", "hu": "Hungarian", "id": "Indonesian", "it": "Italian",
    "ko": "Korean", "lt": "Lithuanian", "lv": "Latvian", "ms": "Malay",
    "nb": "Norwegian_Bokmal", "nl": "Dutch", "nn": "Norwegian_Nynorsk",
    "no": "Norwegian_Bokmal", "pl": "Polish", "pt": "Portuguese", "ro": "Romanian",
    "ru": "Russian", "sk": "Slovak", "sl": "Slovenian", "sq": "Albanian", "sr": "Serbian",
    "sv": "Swedish", "ta": "Tamil", "te": "Telugu", "tr": "Turkish", "uk": "Ukrainian",
    "ur": "Urdu", "vi": "Vietnamese",
}
# fmt: on


def shoal(method: str) -> Extract:
    from shoal.files.content import content  # noqa: PLC0415 - only here is it installed

    return lambda page: content(page["html"], page["url"], method, page["model"] or None).text


def trafilatura() -> Extract:
    library = import_module("trafilatura")
    return lambda page: library.extract(page["html"])


def resiliparse() -> Extract:
    library = import_module("resiliparse.extract.html2text")
    return lambda page: library.extract_plain_text(page["html"], main_content=True)


def readability() -> Extract:
    """It gives HTML; the text is made of it as in the article extraction benchmark."""
    library, writer = import_module("readability"), import_module("html_text")

    def extract(page: Request) -> str:
        summary = library.Document(page["html"]).summary(html_partial=True)
        return str(writer.extract_text(summary))

    return extract


def justext() -> Extract:
    library = import_module("justext")

    def extract(page: Request) -> str:
        declared = _LANGUAGE.search(page["html"])
        language = _STOPLISTS.get(declared[1].lower() if declared else "", "English")
        paragraphs = library.justext(page["html"], library.get_stoplist(language))
        return "\n".join(each.text for each in paragraphs if not each.is_boilerplate)

    return extract


def rs_trafilatura() -> Extract:
    library = import_module("rs_trafilatura")
    return lambda page: library.extract(page["html"], url=page["url"]).main_content


LOADERS: dict[str, Callable[[], Extract]] = {
    "trafilatura": trafilatura,
    "resiliparse": resiliparse,
    "readability-lxml": readability,
    "jusText": justext,
    "rs-trafilatura": rs_trafilatura,
}


def load(name: str, models: list[str]) -> Extract:
    """The extractor, warm: it has read a page, with each of the models that will be asked for."""
    method = name.removeprefix("shoal-")
    extract = LOADERS[name]() if name in LOADERS else shoal(method)
    for model in models or [""]:
        extract({"html": _WARM, "url": "https://example.org/", "model": model})
    return extract


def answer(extract: Extract, page: Request) -> dict[str, object]:
    started = time.process_time()
    try:
        found: dict[str, object] = {"text": extract(page) or ""}
    except Exception as error:  # noqa: BLE001 - a peer's fault is a figure
        found = {"text": "", "fault": f"{type(error).__name__}: {error}"[:200]}
    found["cpu"] = time.process_time() - started
    return found


def main() -> None:
    name, *models = sys.argv[1:]
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    try:
        extract = load(name, models)
        hello = {"version": version("shoal" if name.startswith("shoal-") else name)}
    except Exception as error:  # noqa: BLE001 - whoever can't be loaded is left out, and named
        print(json.dumps({"fault": f"{type(error).__name__}: {error}"[:300]}), file=answers)
        return
    print(json.dumps(hello), file=answers, flush=True)
    for line in sys.stdin:
        print(json.dumps(answer(extract, json.loads(line))), file=answers, flush=True)


if __name__ == "__main__":
    main()
