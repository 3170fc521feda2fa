"""Which format codes does a workbook use without writing them down? The numbered ones of Excel.

ECMA-376 part 1, 18.8.30, as an English Excel shows them.
"""

_MONEY = '"$"#,##0{d}_);{c}("$"#,##0{d})'
_BARE = "#,##0{d}_);{c}(#,##0{d})"
BUILTIN: dict[int, str] = {
    0: "General",
    1: "0",
    2: "0.00",
    3: "#,##0",
    4: "#,##0.00",
    9: "0%",
    10: "0.00%",
    5: _MONEY.format(d="", c=""),
    6: _MONEY.format(d="", c="[Red]"),
    7: _MONEY.format(d=".00", c=""),
    8: _MONEY.format(d=".00", c="[Red]"),
    11: "0.00E+00",
    12: "# ?/?",
    13: "# ??/??",
    14: "m/d/yyyy",
    15: "d-mmm-yy",
    16: "d-mmm",
    17: "mmm-yy",
    18: "h:mm AM/PM",
    19: "h:mm:ss AM/PM",
    20: "h:mm",
    21: "h:mm:ss",
    22: "m/d/yyyy h:mm",
    45: "mm:ss",
    46: "[h]:mm:ss",
    47: "mm:ss.0",
    # What these are depends on the country (East Asia); the order of year, month, day does not.
    **dict.fromkeys((27, 36, 50, 52, 57), "yyyy-mm"),
    **dict.fromkeys((28, 29, 51, 53, 54, 58), "m-d"),
    **dict.fromkeys((32, 34, 55), "h:mm"),
    **dict.fromkeys((33, 35, 56), "h:mm:ss"),
    30: "m-d-yy",
    31: "yyyy-mm-dd",
    37: _BARE.format(d="", c=""),
    38: _BARE.format(d="", c="[Red]"),
    39: _BARE.format(d=".00", c=""),
    40: _BARE.format(d=".00", c="[Red]"),
    41: '_(* #,##0_);_(* (#,##0);_(* "-"_);_(@_)',
    42: '_("$"* #,##0_);_("$"* (#,##0);_("$"* "-"_);_(@_)',
    43: '_(* #,##0.00_);_(* (#,##0.00);_(* "-"??_);_(@_)',
    44: '_("$"* #,##0.00_);_("$"* (#,##0.00);_("$"* "-"??_);_(@_)',
    48: "##0.0E+0",
    49: "@",
}
