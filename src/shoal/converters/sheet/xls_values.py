"""What is shown for a truth value or an error, which Excel's binary formats keep as a number?"""

_ERRORS = {
    0: "#NULL!",
    7: "#DIV/0!",
    15: "#VALUE!",
    23: "#REF!",
    29: "#NAME?",
    36: "#NUM!",
    42: "#N/A",
}


def truth(value: int, *, is_error: bool) -> str:
    if is_error:
        return _ERRORS.get(value, "#N/A")
    return "TRUE" if value else "FALSE"
