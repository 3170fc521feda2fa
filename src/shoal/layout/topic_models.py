"""How is a topic's model made of all that is known of it? Apart from topics.py, since it needs
numpy, which only a crawl for a topic loads."""

from shoal.learn.features import Features
from shoal.learn.topic import TopicModel, page_maker, page_parts
from shoal.model.words.topic import Label, Topic, judged_part


class Pages:
    """Pages as a model reads them."""

    def __init__(self) -> None:
        self.maker = page_maker()

    def of(self, title: str, text: str) -> Features:
        return self.maker.of(page_parts(title, judged_part(text)))


def made_model(
    pages: Pages, topic: Topic, labels: list[Label], ordinary: list[tuple[str, str]]
) -> TopicModel:
    """From all that is known."""
    known = [label for label in labels if label.is_known]
    chosen = {(label.title, label.text[:200]) for label in known}
    return TopicModel.made(
        [pages.of(label.title, label.text) for label in known if label.yes],
        [pages.of(label.title, label.text) for label in known if not label.yes],
        [pages.of(*each) for each in ordinary if (each[0], each[1][:200]) not in chosen],
        pages.of("", topic.words) if topic.words else None,
    )
