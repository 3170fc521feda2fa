"""How good is a model? Names that are found exactly, as CoNLL counts them."""

from collections import Counter
from collections.abc import Iterable, Sequence

from training.entities.corpus import KINDS, Sentence, Span


class Tally:
    def __init__(self) -> None:
        self.right: Counter[int] = Counter()
        self.told: Counter[int] = Counter()
        self.there: Counter[int] = Counter()

    def add(self, sentence: Sentence, found: Iterable[Span]) -> None:
        told, there = set(found), set(sentence.spans)
        for counter, spans in (
            (self.right, told & there),
            (self.told, told),
            (self.there, there),
        ):
            counter.update(kind for _, _, kind in spans)

    def f1(self, kinds: Sequence[int] = (0, 1, 2)) -> tuple[float, float, float]:
        """Precision, recall and F1."""
        right, told, there = (
            sum(counter[kind] for kind in kinds) for counter in (self.right, self.told, self.there)
        )
        precision, recall = right / max(told, 1), right / max(there, 1)
        return precision, recall, 2 * right / max(told + there, 1)

    def line(self) -> str:
        precision, recall, f1 = self.f1()
        kinds = " ".join(f"{name} {self.f1([kind])[2]:.3f}" for kind, name in enumerate(KINDS))
        return f"P {precision:.3f} R {recall:.3f} F1 {f1:.3f}  {kinds}"
