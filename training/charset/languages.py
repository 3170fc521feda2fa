"""Which language is written in which charsets? What the web and old files hold, not what fits."""

WEST = "windows-1252 iso-8859-15 macintosh ibm850 ibm437"
FAR_WEST = "windows-1252 iso-8859-15 macintosh ibm850"
CENTRAL = "windows-1250 iso-8859-2 ibm852 x-mac-ce"
CYRILLIC = "windows-1251 koi8-r iso-8859-5 ibm866 ibm855 x-mac-cyrillic"
CYRILLIC_ALL = "windows-1251 koi8-u iso-8859-5 ibm866 ibm855 x-mac-cyrillic"
CYRILLIC_SOUTH = "windows-1251 iso-8859-5 ibm855 x-mac-cyrillic"
BALTIC = "windows-1257 iso-8859-13 iso-8859-4 ibm775"

SINGLE_BYTE = {
    **dict.fromkeys(("en", "fr", "de", "es", "pt", "it", "nl", "sv", "da", "nb", "fi", "ca"), WEST),
    "is": WEST + " ibm861",
    **dict.fromkeys(("gl", "eu", "ga", "af", "nn", "sq", "id", "br", "oc", "fy"), FAR_WEST),
    "cy": "iso-8859-14 windows-1252",
    "cs": CENTRAL, "sk": CENTRAL, "pl": CENTRAL, "hu": CENTRAL, "sl": CENTRAL, "hr": CENTRAL,
    "ro": CENTRAL + " iso-8859-16", "sr-latn": CENTRAL,
    "ru": CYRILLIC, "bg": CYRILLIC_SOUTH + " ibm866 koi8-r", "uk": CYRILLIC_ALL, "be": CYRILLIC_ALL,
    "sr": CYRILLIC_SOUTH, "mk": CYRILLIC_SOUTH,
    "el": "windows-1253 iso-8859-7 ibm737 ibm869 x-mac-greek",
    "tr": "windows-1254 ibm857 x-mac-turkish",
    "he": "windows-1255 iso-8859-8-i ibm862",
    "ar": "windows-1256 iso-8859-6 ibm720 ibm864", "fa": "windows-1256", "ur": "windows-1256",
    "lt": BALTIC, "lv": BALTIC, "et": BALTIC + " windows-1252 iso-8859-15",
    "vi": "windows-1258 viscii",
    "th": "windows-874",
    "eo": "iso-8859-3",
    "hy": "armscii-8",
}  # fmt: skip

MIXED = {
    "mul": [
        "en",
        "fr",
        "de",
        "es",
        "pt",
        "it",
        "sv",
        "da",
        "nb",
        "fi",
        "is",
        "ca",
        "nl",
        "ga",
        "cy",
    ]
}
"""Menus name languages each in its own: a page may hold a little of everything in the west."""
SINGLE_BYTE["mul"] = "windows-1252 iso-8859-15"

HAN = ("zh-cn", "zh-tw", "ja", "ko")
