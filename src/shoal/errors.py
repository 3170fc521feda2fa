"""Our faults, and the person's. The world's faults are `Outcome`s (see model/outcome.py).

ShoalError              its message is one sentence that says what to do
├── UsageError          bad input: a URL, a setting, a flag (the command line exits with 2)
├── CollectionError     the collection's directory can't be used as asked
│   ├── Busy            another process is writing to it
│   └── Fenced          another owner has the tablet, or may have
├── DamagedError        stored bytes that do not read back
└── UnderstandError     no child process could be started or kept alive
"""


class ShoalError(Exception):
    """A fault with a message for a person: one sentence, and what to do."""


class UsageError(ShoalError):
    """The caller asked for something that can't be; nothing was changed."""


class CollectionError(ShoalError):
    """The collection's directory is missing, unwritable, or of another release."""


class Busy(CollectionError):
    """Another process holds the collection."""


class Fenced(CollectionError):
    """A tablet of a cluster has another owner now, or may have: nothing more is done to it."""


class DamagedError(ShoalError):
    """Stored bytes do not read back as what was written."""


class UnderstandError(ShoalError):
    """No child process could be kept alive to read pages."""
