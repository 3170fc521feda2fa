"""How does a person write a size or a duration? As in shoal.toml: 20MB, 500ms, 2h."""

from shoal.config.values import Setting, SettingKind, read_value


def seconds(text: str, flag: str) -> float:
    return _read(text, flag, SettingKind.SECONDS)


def size_bytes(text: str, flag: str) -> float:
    return _read(text, flag, SettingKind.BYTES)


def _read(text: str, flag: str, kind: SettingKind) -> float:
    value = read_value(Setting(flag, kind, default=None, help=""), text, flag)
    return float(value) if isinstance(value, int | float) else 0.0
