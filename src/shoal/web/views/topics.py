"""/topic/teach: a page is about a topic, or is not. The owner says so beside the page's story."""

from shoal.control.topics import Answer, teach
from shoal.web.server.http import Request, Response
from shoal.web.server.site import Site
from shoal.web.server.view import Parameter, View, form_text

_MOST_NAME_CHARS = 60
_ANSWERS: dict[str, Answer] = {"yes": "yes", "no": "no", "unsaid": "unsaid"}


def teach_page(site: Site, request: Request) -> Response:
    name, answer = form_text(request, "topic", _MOST_NAME_CHARS), form_text(request, "answer")
    told = teach(site.place, name, [form_text(request, "url")], _ANSWERS.get(answer, "unsaid"))
    says = "taken back" if answer == "unsaid" else answer
    when = "the running crawl learns it now" if told.running else "it is learned"
    back = form_text(request, "back") or "/"
    return site.done(request, back, f"{told.name}: {says}; {when}.")


VIEWS = (
    View(
        "/topic/teach",
        teach_page,
        "Say that a page is about a topic, or not.",
        "POST",
        (
            Parameter("topic", "Its name; none: the only one there is.", must_be="a topic"),
            Parameter("url", "The page.", required=True, must_be="a URL"),
            Parameter("answer", "What is so.", required=True, one_of=("yes", "no", "unsaid")),
            Parameter("back", "The page of ours to go back to."),
        ),
    ),
)
