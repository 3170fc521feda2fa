"""Manual pages: fonts, terms, tables of man(7), and the macros of mdoc(7)."""

from shoal.converters.markup import man
from tests.converters.text_samples import blocks_of, bold_of, run


def test_man() -> None:
    source = r""".\" remark
.TH REEF 1 2024-05-06
.SH NAME
reef \- count fish
.SH OPTIONS
.BR reef (1)
takes \fB\-v\fR and \(lqall\(rq.
.TP
.B \-v
Says more.
.IP \(bu 2
A bullet.
.IP 1. 3
A number.
.nf
  code \e here
.fi
.TS
tab(@) box;
l l.
A@B
T{
one
two
T}@2
.TE
.de XX
hidden
..
.if t not on paper
"""
    assert blocks_of(man.convert, source) == [
        ("h", 1, "", "NAME"),
        ("p", 0, "", "reef - count fish"),
        ("h", 1, "", "OPTIONS"),
        ("p", 0, "", "reef(1) takes -v and “all”."),
        ("dt", 0, "", "-v"),
        ("dd", 0, "", "Says more."),
        ("li", 1, "", "A bullet."),
        ("ol", 1, "1.", "A number."),
        ("pre", 0, "", "  code \\ here"),
        ("table", 0, "", "A\tB\none two\t2"),
    ]
    page = run(man.convert, source).page
    assert (page.title, page.description) == ("REEF(1)", "count fish")
    assert bold_of(page.blocks[3]) == ["reef", "-v"]


def test_mdoc() -> None:
    source = """.Dd May 6, 2024
.Dt REEF 1
.Sh NAME
.Nm reef
.Nd count fish
.Sh SYNOPSIS
.Nm
.Op Fl v Ar file
.Sh LIST
.Bl -bullet
.It
one
.El
.Bl -tag
.It Fl x
Means
.Dq this .
.El
"""
    assert blocks_of(man.convert, source) == [
        ("h", 1, "", "NAME"),
        ("p", 0, "", "reef – count fish"),
        ("h", 1, "", "SYNOPSIS"),
        ("p", 0, "", "reef [-v file]"),
        ("h", 1, "", "LIST"),
        ("li", 1, "", "one"),
        ("dt", 0, "", "-x"),
        ("dd", 0, "", "Means “this.”"),
    ]
