"""docs/settings.md says all about every setting, and nothing about what isn't one."""

import re
from pathlib import Path

from shoal.config import FILE_NAME, Config, Setting, load, settings
from shoal.config.values import as_toml

DOCS = Path(__file__).resolve().parent.parent / "docs" / "settings.md"


def shown_default(each: Setting) -> str:
    if each.default is None:
        return "not set"
    return f"`{as_toml(each.kind, each.default)}`"


def row(each: Setting) -> str:
    name = each.key.partition(".")[2]
    return f"| `{name}` | {each.type} | {shown_default(each)} | {each.help} |"


def test_every_setting_is_documented_and_nothing_else() -> None:
    """When this fails, copy the row it names into docs/settings.md."""
    documented: dict[str, list[str]] = {}
    section = ""
    for line in DOCS.read_text(encoding="utf-8").splitlines():
        heading = re.match(r"## \[(\w+)\]", line)
        section = heading[1] if heading else section
        if line.startswith("| `") and section != "resolve":
            documented.setdefault(section, []).append(line)
    wanted: dict[str, list[str]] = {}
    for each in settings():
        wanted.setdefault(each.key.partition(".")[0], []).append(row(each))
    assert documented == wanted


def test_the_examples_in_the_documentation_are_accepted(tmp_path: Path) -> None:
    examples = re.findall(r"```toml\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL)
    assert len(examples) == 2
    for example in examples:
        (tmp_path / FILE_NAME).write_text(example, encoding="utf-8")
        assert load(tmp_path, {}, {}) != Config()
