import pytest

from shoal.converters.mail.headers import date, decoded, from_base64, read_head, typed


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b"plain", "plain"),
        (b"=?utf-8?q?gr=C3=BCn?= fish", "grün fish"),
        (b"=?utf-8?b?5rU=?= =?utf-8?b?tw==?=", "海"),  # a character cut in two
        (b"=?utf-8?q?a?= =?iso-8859-1?q?=E9?=", "aé"),
        (b"a =?utf-8?q?b?= c", "a b c"),
        (b"=?iso-2022-jp?B?GyRCNXsbKEI=?=", "魚"),
        (b"=?utf-8?q?under_score?=", "under score"),
        (b"=?no-such-charset?q?fish?=", "fish"),
        (b"=?utf-8?b?!!!?=", ""),
        (b"=?utf-8?x?fish?=", "=?utf-8?x?fish?="),
        ("grün".encode(), "grün"),
        ("grüner Fisch für Ämter".encode("latin-1"), "grüner Fisch für Ämter"),
    ],
)
def test_encoded_words(raw: bytes, text: str) -> None:
    assert decoded(raw) == text


@pytest.mark.parametrize(
    ("raw", "params"),
    [
        (b'text/plain; charset="utf-8"; format=flowed', {"charset": "utf-8", "format": "flowed"}),
        (b"text/plain; name*=utf-8'de'K%C3%BCste.txt", {"name": "Küste.txt"}),
        (b'x/y; name*0="a"; name*1="b"', {"name": "ab"}),
        (b'x/y; name="a;b\\"c"', {"name": 'a;b"c'}),
        (b"x/y; name==?utf-8?q?gr=C3=BCn?=", {"name": "grün"}),
        (b'x/y; boundary="never closed', {"boundary": "never closed"}),
        (b"x/y;;; =; name=", {"name": ""}),
    ],
)
def test_parameters(raw: bytes, params: dict[str, str]) -> None:
    assert typed(raw).params == params


@pytest.mark.parametrize(
    ("written", "iso"),
    [
        ("Mon, 2 Nov 2026 09:30:00 +0100", "2026-11-02T09:30:00+01:00"),
        ("2 Nov 2026 09:30:00 -0000", "2026-11-02T09:30:00+00:00"),
        ("Mon, 2 Nov 2026 09:30:00 +0100 (CET)", "2026-11-02T09:30:00+01:00"),
        ("2026-11-02T09:30:00Z", "2026-11-02T09:30:00+00:00"),
        ("Mon, 99 Nov 2026 99:99:99 +9999", ""),
        ("yesterday", ""),
        ("", ""),
    ],
)
def test_dates(written: str, iso: str) -> None:
    assert date(written) == iso


def test_heads_are_unfolded_and_end_where_the_body_begins() -> None:
    data = b"From someone\nSubject: a\r\n  long\n\tone\nTo: x\n\nbody: no field\n"
    head = read_head(data)
    assert head.fields == [("subject", b"a long one"), ("to", b"x")]
    assert data[head.body_at :] == b"body: no field\n"
    broken = b"Subject: a\nno field here\n\nmore\n"
    assert broken[read_head(broken).body_at :].startswith(b"no field here")


def test_heads_are_bounded() -> None:
    head = read_head(b"X: y\n" * 5_000 + b"Z: " + b" z\n" * 500_000)
    assert len(head.fields) == 1_000
    assert len(read_head(b"X: " + b"y" * 500_000).raw("x")) <= 65_536


def test_broken_base64_gives_what_is_there() -> None:
    assert from_base64(b"Rml\n*zaA") == b"Fish"
    assert from_base64(b"Rmlz\nRmlzaA==\nRmlzaA==") == b"FisFishFish"
    assert from_base64(b"A") == b""
