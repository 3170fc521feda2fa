"""What is a child process told of a crawl? All it needs, in one value, once.

Apart from child.py, so that the main process, which reads no page, does not load what reads them.
"""

from shoal.converters.limits import Limits
from shoal.focus.priority import PrioritySettings
from shoal.focus.scope import ScopeSettings
from shoal.model.record import Struct

FACTORY = "shoal.worker.child:make"


class ChildConfig(Struct):
    scope: ScopeSettings
    priority: PrioritySettings
    product_token: str
    strip: tuple[str, ...]
    keep: tuple[str, ...]
    limits: Limits
    warc_directory: str
    """Empty: nothing is archived."""
    warc_max_bytes: int
    software: str
    """Who wrote the archive."""
    blocks: bool = False
    """Whether the tagged text is wanted."""
    ocr: bool = False
    """Whether letters in pictures are to be recognised."""
    content: str = "none"
    """The method that tells a page's content from its frame."""
    prints: bool = False
    """Whether the sketches are wanted by which near-duplicates are found."""
    names: bool = False
    """Whether people, places and organisations are to be marked."""
    feeds_anywhere: bool = True
    """Whether feeds that a person named bring items from outside the scope."""
    requisites: int = 0
    """How many pictures, styles and scripts of one page are wanted; 0: none."""
    topics_directory: str = ""
    """Where the models of topics stand."""
    graph_directory: str = ""
    """Where ranks stand once there are any; they count in priority order."""
    classes_directory: str = ""
    """Where classes stand once there are any; pages are marked with theirs."""
