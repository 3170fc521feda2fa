"""How is a number written in a list? In the formats of ISO/IEC 29500-1, 17.18.59.

By far the most are Arabic, Roman and Latin letters; the rest are rows of letters of other scripts
or East Asian numerals. An unknown format shows plain digits.
"""

from shoal.converters.writer import roman

_MAX_ROMAN = 5_000
_MAX_REPEATS = 20
_ROWS = {
    "lowerLetter": "abcdefghijklmnopqrstuvwxyz",
    "russianLower": "абвгдежзиклмнопрстуфхцчшщыэюя",
    "arabicAlpha": "أبتثجحخدذرزسشصضطظعغفقكلمنهوي",
    "arabicAbjad": "أبجدهوزحطيكلمنسعفصقرشتثخذضظغ",
    "hebrew2": "אבגדהוזחטיכלמנסעפצקרשת",
    "aiueoFullWidth": "アイウエオカキクケコサシスセソタチツテト"
    "ナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲン",
    "irohaFullWidth": "イロハニホヘトチリヌルヲワカヨタレソツネナラム"
    "ウヰノオクヤマケフコエテアサキユメミシヱヒモセスン",
    "ganada": "가나다라마바사아자차카타파하",
    "chosung": "ㄱㄴㄷㄹㅁㅂㅅㅇㅈㅊㅋㅌㅍㅎ",
    "thaiLetters": "กขฃคฅฆงจฉชซฌญฎฏฐฑฒณดตถทธนบปผฝพฟภมยรลวศษสหฬอฮ",
    "ideographTraditional": "甲乙丙丁戊己庚辛壬癸",
    "ideographZodiac": "子丑寅卯辰巳午未申酉戌亥",
}
_SAME = {"aiueo": "aiueoFullWidth", "iroha": "irohaFullWidth"}
_COUNTING = frozenset(
    {"chineseCounting", "chineseCountingThousand", "taiwaneseCounting", "japaneseCounting"}
    | {"taiwaneseCountingThousand", "ideographLegalTraditional", "chineseLegalSimplified"}
)
_DIGITS = "〇一二三四五六七八九"
_DIGIT_ROWS = {
    "ideographDigital": _DIGITS,
    "japaneseDigitalTenThousand": _DIGITS,
    "taiwaneseDigital": _DIGITS,
    "koreanDigital": "영일이삼사오육칠팔구",
    "decimalFullWidth": "０１２３４５６７８９",
    "decimalFullWidth2": "０１２３４５６７８９",
    "hindiNumbers": "०१२३४५६७८९",
    "thaiNumbers": "๐๑๒๓๔๕๖๗๘๙",
}
_ONES = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen"),
    *("eighteen", "nineteen"),
)
_TENS = ("", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_NTH = {
    "one": "first",
    "two": "second",
    "three": "third",
    "five": "fifth",
    "eight": "eighth",
    "nine": "ninth",
    "twelve": "twelfth",
}
OLD_CODES = {
    "0": "decimal",
    "1": "upperRoman",
    "2": "lowerRoman",
    "3": "upperLetter",
    "4": "lowerLetter",
    "5": "ordinal",
    "6": "cardinalText",
    "7": "ordinalText",
    "22": "decimalZero",
    "23": "bullet",
    "255": "none",
}
"""Of WordprocessingML 2003, which numbers the formats."""


def formatted(number: int, name: str) -> str:
    if name == "decimal":
        return str(number)
    if name == "none":
        return ""
    if name.startswith("upper") or name == "russianUpper":
        return formatted(number, name.replace("upper", "lower").replace("Upper", "Lower")).upper()
    if name == "lowerRoman":
        return roman(number, _MAX_ROMAN)
    name = _SAME.get(name, name)
    if name in _ROWS and number > 0:
        row = _ROWS[name]
        times, place = divmod(number - 1, len(row))
        return row[place] * min(times + 1, _MAX_REPEATS)
    if name in _DIGIT_ROWS:
        return str(number).translate(str.maketrans("0123456789", _DIGIT_ROWS[name]))
    return _other(number, name)


def _other(number: int, name: str) -> str:
    if name == "decimalZero":
        return f"{number:02}"
    if name == "ordinal":
        teen = 10 <= number % 100 <= 20
        return f"{number}{'th' if teen else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"
    if name in ("cardinalText", "ordinalText") and 0 <= number < 100:
        return _words(number, name == "ordinalText").capitalize()
    if name.startswith("decimalEnclosedCircle") and 1 <= number <= 20:
        return chr(0x245F + number)
    if name == "decimalEnclosedParen" and 1 <= number <= 20:
        return chr(0x2473 + number)
    if name == "decimalEnclosedFullstop" and 1 <= number <= 20:
        return chr(0x2487 + number)
    if name == "numberInDash":
        return f"- {number} -"
    if name in _COUNTING and 0 < number < 100:
        tens, ones = divmod(number, 10)
        lead = (_DIGITS[tens] if tens > 1 else "") + "十" if tens else ""
        return lead + (_DIGITS[ones] if ones else "")
    if name == "hex":
        return f"{number:X}"
    return str(number)


def _words(number: int, nth: bool) -> str:
    tens, ones = divmod(number, 10)
    if number < 20:
        words = [_ONES[number]]
    else:
        words = [_TENS[tens], _ONES[ones]] if ones else [_TENS[tens]]
    if nth:
        last = words[-1]
        plain = last[:-1] + "ie" if last.endswith("y") else last
        words[-1] = _NTH.get(last, f"{plain}th")
    return "-".join(words)
