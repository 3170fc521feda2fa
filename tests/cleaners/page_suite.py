"""Which pages must a cleaner get right? One for each kind of page and each oddity of markup.

Written for these tests: each is a file in pages/ or, where it is large or holds characters that no
editor keeps, made by page_makers.py. What counts as right is said in phrases of the page.
"""

from tests.cleaners import page_makers as made
from tests.cleaners.page_case import Expect, PageCase
from tests.cleaners.page_oddities import MARKUP, SCRIPTS
from tests.cleaners.page_types import TYPES

_ARTICLE = ("taken out of service with a cracked hull", "invited to bring it along")
_FRAME = ("214 partners", "Moose stops train", "All rights reserved")
_LONG = (
    "Chapter 1: the keeper climbs the stair",
    "wrote the number 1 into the book",
    "And that was the last night of the light",
)
_LONG_FRAME = ("Shipwrecks", "Reading room rules")
_DEEP = ("the bottom of a very deep well",)

MADE = (
    PageCase("nothing_at_all", expect=Expect.EMPTY, maker=str),
    PageCase("white_space", expect=Expect.EMPTY, maker=made.white_space),
    PageCase("byte_order_mark", _ARTICLE, _FRAME, maker=made.byte_order_mark),
    PageCase("control_characters", _ARTICLE, _FRAME, maker=made.control_characters),
    PageCase("lone_surrogates", _ARTICLE, _FRAME, maker=made.lone_surrogates),
    PageCase("cut_in_a_tag", _ARTICLE[:1], _FRAME[:1], maker=made.cut_in_a_tag),
    PageCase("windows_line_ends", _ARTICLE, _FRAME, maker=made.windows_line_ends),
    PageCase("odd_references", (*_ARTICLE, "café & crème"), maker=made.odd_references),
)

GROWN = (
    PageCase("base64_images", _ARTICLE, (*_FRAME, "AAAA"), grower=made.base64_images, size=20_000),
    PageCase("json_first", _ARTICLE, (*_FRAME, '"sku"'), grower=made.json_first, size=25_000),
    PageCase("reference_flood", grower=made.reference_flood, size=4000),
    PageCase("angle_flood", grower=made.angle_flood, size=50_000),
    PageCase("comment_flood", _ARTICLE, _FRAME, grower=made.comment_flood, size=50_000),
    PageCase("five_megabytes", _LONG, _LONG_FRAME, grower=made.long_article, size=5_000_000),
    PageCase("one_long_line", _LONG, _LONG_FRAME, grower=made.one_long_line, size=3_000_000),
    PageCase("nested_divs", _DEEP, grower=made.nested_divs, size=100_000),
    PageCase("nested_inline", _DEEP, grower=made.nested_inline, size=50_000),
    PageCase("many_links", grower=made.many_links, size=50_000),
    PageCase("million_attributes", _ARTICLE, _FRAME, grower=made.many_attributes, size=1_000_000),
)

SUITE = (*TYPES, *SCRIPTS, *MARKUP, *MADE, *GROWN)

KNOWN = {
    "product": "the table of what it is made of is taken for part of the shop's frame",
    "data_table": "its caption is not kept",
    "cookie_wall": "a notice that is all there is to read is read",
    "newsletter_archive": "the line that lets go of it stands within the letter",
    "calendar": "the sentence below the table is not kept",
    "uppercase_tags": "the visitor counter stands in the text's own paragraph",
    "one_layout_table": "the counter and the webmaster stand in the text's own table",
    "frameset_noframes": "what stands in noframes is not read",
    "template_hidden": "hidden text may be shown by a script, and often is",
    "br_paragraphs": "the footer is one more line of the text",
    "five_megabytes": "the last third of a page of so many pieces is taken for its end",
    "one_long_line": "the same",
}
"""Pages that the default method gets wrong, and what is wrong."""
