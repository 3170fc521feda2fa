"""The words by which mails are found: the index and a query make the same ones."""

from hypothesis import given
from hypothesis import strategies as st

from shoal.model.mail_words import asked_marks, marks_of, thread_of

FIELDS = [
    ("from", 'Ann "Reef" Müller <ann.mueller@Mail.Example.ORG>'),
    ("to", "bob@example.net, Carol <carol+list@example.com>"),
    ("folder", "Archive/Taxes 2019"),
    ("has", "attachment"),
    ("thread", "root@example.org"),
    ("message-id", "<x@example.org>"),
]


def found(name: str, value: str) -> bool:
    asked = asked_marks(name, value)
    return bool(asked) and set(asked) <= set(marks_of(FIELDS))


def test_who_wrote_it() -> None:
    for value in ("ann", "ANN", "muller", "Müller", "Ann Müller", "reef", "mueller"):
        assert found("from", value), value
    for value in ("ann.mueller@mail.example.org", "mail.example.org", "example.org", "ann.mueller"):
        assert found("from", value), value
    for value in ("bob", "org", "an", "nn.mueller@mail.example.org", "", "@"):
        assert not found("from", value), value


def test_whom_to_where_and_what_with() -> None:
    assert found("to", "bob")
    assert found("to", "carol@example.com") is False
    assert found("to", "carol+list@example.com")
    assert found("folder", "archive")
    assert found("folder", "Archive/Taxes 2019")
    assert found("folder", "taxes 2019")
    assert not found("folder", "Taxes")
    assert found("has", "attachment")
    assert found("has", "attachments")
    assert not found("has", "link")
    assert found("thread", "<root@example.org>")


def test_a_thread_goes_by_the_mail_that_began_it() -> None:
    assert thread_of("<c@x>", "<b@x>", "<a@x> <b@x>") == "a@x"
    assert thread_of("<c@x>", "Your mail of Monday <b@x>", "") == "b@x"
    assert thread_of("<c@x>", "", "") == "c@x"
    assert not thread_of("", "", "none")


def test_a_list_without_end_costs_little() -> None:
    many = ", ".join(f"person{number}@host{number}.example" for number in range(100_000))
    marks = marks_of([("to", many), ("from", "a" * 10**7 + "@x.org")])
    assert len(marks) <= 200
    assert all(len(mark) < 500 for mark in marks)


@given(st.sampled_from(["from", "to", "folder", "thread", "has"]), st.text())
def test_any_text_will_do(name: str, value: str) -> None:
    assert all(mark.startswith("mail.") for mark in marks_of([(name, value)]))
    assert all(mark.startswith(f"mail.{name}=") for mark in asked_marks(name, value))
