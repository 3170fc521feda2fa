"""Which settings did the flags give? `--set`, `--resolve` and the rest as dotted names and values.

What a value may be is the configuration's business; here text only becomes what TOML would give.
"""

from collections.abc import Iterable, Mapping

from shoal.config import Setting, settings
from shoal.config.values import SettingKind, described, read_value
from shoal.errors import UsageError


def resolutions(pairs: Iterable[str]) -> dict[str, object]:
    """`--resolve www.example.org=127.0.0.1:8080`, as often as wanted."""
    found: dict[str, object] = {}
    for pair in pairs:
        host, equals, address = pair.partition("=")
        if not equals or not host:
            raise UsageError(
                f"--resolve must be HOST=ADDRESS or HOST=ADDRESS:PORT, not {described(pair)}"
            )
        found[f"resolve.{host.strip()}"] = address.strip()
    return found


def typed(words: Mapping[str, str | None]) -> dict[str, object]:
    """Flags by the name of their setting; None is a flag that wasn't given."""
    known = {each.key: each for each in settings()}
    return {key: None if word is None else _typed(known[key], word) for key, word in words.items()}


def assignments(pairs: Iterable[str]) -> dict[str, object]:
    """`--set section.key=value`; a list grows with every `--set` of its key."""
    known = {each.key: each for each in settings()}
    found: dict[str, object] = {}
    for pair in pairs:
        key, equals, text = pair.partition("=")
        key = key.strip()
        if not equals or "." not in key:
            raise UsageError(f"--set must be SECTION.KEY=VALUE, not {described(pair)}")
        setting = known.get(key)
        if setting is not None and setting.is_list:
            before = found.get(key, ())
            found[key] = (*(before if isinstance(before, tuple) else ()), text)
        else:
            found[key] = text if setting is None else _typed(setting, text)
    for key, value in found.items():
        if key in known:
            read_value(known[key], value, f"--set {key}")  # what is wrong is told by this name
    return found


def _typed(setting: Setting, text: str) -> object:
    """A number where a number is wanted; what is none is left for the refusal to name."""
    if setting.kind not in (SettingKind.COUNT, SettingKind.NUMBER):
        return text
    for convert in (int, float):
        try:
            return convert(text)
        except ValueError:
            continue
    return text
