"""Count fish."""


def count(fish: list[str]) -> int:
    return len(fish)
