import pytest

from shoal.converters.sheet.builtin import BUILTIN
from shoal.converters.sheet.date import serial_of
from shoal.converters.sheet.format import NumberFormat, general


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.30000000000000004, "0.3"),
        (12.5, "12.5"),
        (1234567.891, "1234567.891"),
        (-3.0, "-3"),
        (3.14159265358979, "3.141592654"),
        (0.00001, "0.00001"),
        (1e20, "1E+20"),
        (123456789012345, "123456789012345"),
        (1234567890123456, "1.23456789012346E+15"),
        (-1.5e-12, "-1.5E-12"),
        (float("nan"), ""),
        (float("inf"), ""),
    ],
)
def test_a_number_without_a_format_fits_a_column(value: float, shown: str) -> None:
    assert general(value) == shown


@pytest.mark.parametrize(
    ("code", "value", "shown"),
    [
        ("0.00", 1599.985, "1599.99"),
        ("#,##0.00", -1599.99, "-1,599.99"),
        ("$#,##0.00;[Red]($#,##0.00)", -1599.99, "($1,599.99)"),
        ("0.00E+00", 198_000_000, "1.98E+08"),
        ("##0.0E+0", 12345, "12.3E+3"),
        ("0%", 0.15, "15%"),
        ("0.00%", 0.025, "2.50%"),
        ("# ?/?", 1.25, "1 1/4"),
        ("000-0000", 5_551_234, "555-1234"),
        ("#,##0,", 1_234_567, "1,235"),
        ('0 "dollars and" .00 "cents"', 19.99, "19 dollars and .99 cents"),
        ('_("$"* #,##0.00_);_("$"* (#,##0.00);_("$"* "-"??_);_(@_)', 0, "$-"),
        ("[$€-407] #,##0.00", 12.3, "€ 12.30"),
        ('#,##0.00\\ "€"', 1234.5, "1,234.50 €"),
        ('[>=100]"big "0;[<0]"neg "0;"small "0', 5, "small 5"),
        ('General" km"', 12.5, "12.5 km"),
        ("[=50]General;000", 50, "50"),
        ("[=50]General;000", 7, "007"),
        ("[<-25]General;[>25]General;General;General", -26, "26"),
        (";;;", 5, ""),
        ('"";0', 5, ""),
        ("0", 1e300, "1" + "0" * 300),
    ],
)
def test_numbers(code: str, value: float, shown: str) -> None:
    assert NumberFormat(code).show(value) == shown


@pytest.mark.parametrize(
    ("code", "value", "shown"),
    [
        ("yyyy-mm-dd", 40896, "2011-12-19"),
        ("d-mmm-yy", 39219, "17-May-07"),
        ("dddd, mmmm dd, yyyy", 40896, "Monday, December 19, 2011"),
        ("h:mm", 0.76, "18:14"),
        ("h:mm AM/PM", 0.76, "6:14 PM"),
        ("[h]:mm:ss", 1.5, "36:00:00"),
        ("mm:ss.0", 0.0012345, "01:46.7"),
        ("yyyy-mm-dd", 59, "1900-02-28"),
        ("yyyy-mm-dd", 61, "1900-03-01"),
        ("m/d/yyyy", 0.5, "1/0/1900"),
        ("m/d;@", -1.2, "-1.2"),
        ("yyyy", 1e12, "1000000000000"),
    ],
)
def test_dates(code: str, value: float, shown: str) -> None:
    assert NumberFormat(code).show(value) == shown


def test_the_calendar_of_the_first_macs_begins_four_years_later() -> None:
    assert NumberFormat("yyyy-mm-dd").show(39434, from_1904=True) == "2011-12-19"


def test_text_is_shown_by_its_own_section() -> None:
    assert NumberFormat('0;0;0;"fish: "@').show_text("cod") == "fish: cod"
    assert NumberFormat("0.00").show_text("cod") == "cod"


def test_a_moment_in_words_has_a_serial_number() -> None:
    assert serial_of("2011-12-19T12:00:00.000") == 40896.5
    assert serial_of("soon") is None


def test_every_builtin_code_shows_something() -> None:
    assert all(NumberFormat(code).show(40896.25) for code in BUILTIN.values())


@pytest.mark.parametrize(
    "code", ["[", '"', "\\", "_", "*", "[$", "[h", ";;;;;;", "0" * 500, "/", "e+0"]
)
def test_a_broken_code_raises_nothing(code: str) -> None:
    NumberFormat(code).show(12.5)
    NumberFormat(code).show(-12.5)
    NumberFormat(code).show_text("cod")
