"""What does a charset's label mean? The Encoding Standard's table, with Python's codec for each.

Labels come from headers and pages: on the web only those of the standard are known, so that no page
can ask for "utf-7", "idna" or "base64". Where browsers read a label as a superset (gb2312 as
gb18030, shift_jis as windows-31j), so do we. The standard refuses five labels (hz, iso-2022-kr …)
because scripts could hide in them: we only read, and read the ones we can. Files and mails know
more names than the web, the second table; a codec in brackets is ours (charset_codecs).
"""

from functools import cache

_WEB = """
utf-8 | utf_8 | unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf8 x-unicode20utf8
ibm866 | cp866 | 866 cp866 csibm866
iso-8859-2 | iso8859_2 | csisolatin2 iso-ir-101 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 l2 latin2
iso-8859-3 | iso8859_3 | csisolatin3 iso-ir-109 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 l3 latin3
iso-8859-4 | iso8859_4 | csisolatin4 iso-ir-110 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 l4 latin4
iso-8859-5 | iso8859_5 | csisolatincyrillic cyrillic iso-ir-144 iso8859-5 iso88595 iso_8859-5 iso_8859-5:1988
iso-8859-6 | iso8859_6 | arabic asmo-708 csiso88596e csiso88596i csisolatinarabic ecma-114 iso-8859-6-e iso-8859-6-i iso-ir-127 iso8859-6 iso88596 iso_8859-6 iso_8859-6:1987
iso-8859-7 | iso8859_7 | csisolatingreek ecma-118 elot_928 greek greek8 iso-ir-126 iso8859-7 iso88597 iso_8859-7 iso_8859-7:1987 sun_eu_greek
iso-8859-8 | iso8859_8 | csiso88598e csisolatinhebrew hebrew iso-8859-8-e iso-ir-138 iso8859-8 iso88598 iso_8859-8 iso_8859-8:1988 visual
iso-8859-8-i | iso8859_8 | csiso88598i logical
iso-8859-10 | iso8859_10 | csisolatin6 iso-ir-157 iso8859-10 iso885910 l6 latin6
iso-8859-13 | iso8859_13 | iso8859-13 iso885913
iso-8859-14 | iso8859_14 | iso8859-14 iso885914
iso-8859-15 | iso8859_15 | csisolatin9 iso8859-15 iso885915 iso_8859-15 l9
iso-8859-16 | iso8859_16 |
koi8-r | koi8_r | cskoi8r koi koi8 koi8_r
koi8-u | koi8_u | koi8-ru
macintosh | mac_roman | csmacintosh mac x-mac-roman
windows-874 | cp874 | dos-874 iso-8859-11 iso8859-11 iso885911 tis-620
windows-1250 | cp1250 | cp1250 x-cp1250
windows-1251 | cp1251 | cp1251 x-cp1251
windows-1252 | cp1252 | ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 iso8859-1 iso88591 iso_8859-1 iso_8859-1:1987 l1 latin1 us-ascii x-cp1252
windows-1253 | cp1253 | cp1253 x-cp1253
windows-1254 | cp1254 | cp1254 csisolatin5 iso-8859-9 iso-ir-148 iso8859-9 iso88599 iso_8859-9 iso_8859-9:1989 l5 latin5 x-cp1254
windows-1255 | cp1255 | cp1255 x-cp1255
windows-1256 | cp1256 | cp1256 x-cp1256
windows-1257 | cp1257 | cp1257 x-cp1257
windows-1258 | cp1258 | cp1258 x-cp1258
x-mac-cyrillic | mac_cyrillic | x-mac-ukrainian
gbk | gb18030 | chinese csgb2312 csiso58gb231280 gb2312 gb_2312 gb_2312-80 iso-ir-58 x-gbk
gb18030 | gb18030 |
big5 | big5hkscs | big5-hkscs cn-big5 csbig5 x-x-big5
euc-jp | euc_jp | cseucpkdfmtjapanese x-euc-jp
iso-2022-jp | iso2022_jp_ext | csiso2022jp
shift_jis | cp932 | csshiftjis ms932 ms_kanji shift-jis sjis windows-31j x-sjis
euc-kr | cp949 | cseuckr csksc56011987 iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 windows-949
utf-16be | utf_16_be | unicodefffe
utf-16le | utf_16_le | csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16
x-user-defined | (table) |
replacement | (nothing) | iso-2022-cn iso-2022-cn-ext
hz-gb-2312 | hz |
iso-2022-kr | iso2022_kr | csiso2022kr
"""  # noqa: E501 - one charset, one line

_FILES = """
utf-7 | utf_7 | csutf7 unicode-1-1-utf-7 x-unicode-2-0-utf-7 65000
utf-32be | utf_32_be | ucs-4be utf32be
utf-32le | utf_32_le | utf-32 ucs-4 ucs-4le utf32 utf32le iso-10646-ucs-4 csucs4
ibm437 | cp437 | cp437 437 cspc8codepage437
ibm720 | cp720 | cp720
ibm737 | cp737 | cp737
ibm775 | cp775 | cp775 cspc775baltic
ibm850 | cp850 | cp850 850 cspc850multilingual
ibm852 | cp852 | cp852 852 cspcp852
ibm855 | cp855 | cp855 855 csibm855
ibm857 | cp857 | cp857 857 csibm857
ibm858 | cp858 | cp858 ibm00858 pc-multilingual-850+euro
ibm860 | cp860 | cp860 860
ibm861 | cp861 | cp861 861 cp-is
ibm862 | cp862 | cp862 862 cspc862latinhebrew
ibm863 | cp863 | cp863 863
ibm864 | cp864 | cp864 csibm864
ibm865 | cp865 | cp865 865
ibm869 | cp869 | cp869 869 cp-gr
ibm037 | cp037 | cp037 csibm037 ebcdic-cp-us ebcdic-cp-ca ebcdic-cp-nl ebcdic-cp-wt
ibm273 | (table) | cp273 csibm273
ibm277 | (table) | cp277 ebcdic-cp-dk ebcdic-cp-no csibm277
ibm278 | (table) | cp278 ebcdic-cp-fi ebcdic-cp-se csibm278
ibm280 | (table) | cp280 ebcdic-cp-it csibm280
ibm284 | (table) | cp284 ebcdic-cp-es csibm284
ibm285 | (table) | cp285 ebcdic-cp-gb csibm285
ibm297 | (table) | cp297 ebcdic-cp-fr csibm297
ibm424 | cp424 | cp424 ebcdic-cp-he csibm424
ibm500 | cp500 | cp500 ebcdic-cp-be ebcdic-cp-ch csibm500
ibm871 | (table) | cp871 ebcdic-cp-is csibm871
ibm875 | cp875 | cp875
ibm1026 | cp1026 | cp1026 csibm1026
ibm1047 | (table) | cp1047 ibm-1047
ibm1140 | cp1140 | cp1140 ibm01140 ebcdic-us-37+euro
x-mac-ce | mac_latin2 | maccentraleurope mac-centraleurope x-mac-centraleurroman maccenteuro x-mac-latin2
x-mac-greek | mac_greek | macgreek mac-greek
x-mac-turkish | mac_turkish | macturkish mac-turkish
x-mac-icelandic | mac_iceland | maciceland x-mac-iceland
x-mac-croatian | mac_croatian | maccroatian
x-mac-romanian | mac_romanian | macromania x-mac-romania
macintosh | mac_roman | macroman mac-roman
x-mac-cyrillic | mac_cyrillic | maccyrillic mac-cyrillic
shift_jis | cp932 | cp932 shiftjis csshiftjis
windows-31j | cp932 | cswindows31j
gb2312 | gb18030 | euc-cn
gbk | gb18030 | cp936 ms936 windows-936
euc-kr | cp949 | cp949 uhc ms949
big5 | big5hkscs | cp950 ms950 windows-950
euc-tw | (cns) | euctw cns11643
johab | johab | cp1361 ms1361
ptcp154 | ptcp154 | cp154 pt154 cyrillic-asian
kz-1048 | kz1048 | rk1048 strk1048-2002
viscii | (table) | csviscii
tcvn | (table) | tcvn5712 tcvn5712-1 tcvn-5712
armscii-8 | (table) | armscii8
georgian-ps | (table) |
tscii | (tscii) | x-tscii tamil-tscii
x-iscii-de | (iscii) | iscii iscii-dev x-iscii cp57002 57002
x-iscii-be | (iscii) | cp57003 57003
x-iscii-ta | (iscii) | cp57004 57004
x-iscii-te | (iscii) | cp57005 57005
x-iscii-as | (iscii) | cp57006 57006
x-iscii-or | (iscii) | cp57007 57007
x-iscii-ka | (iscii) | cp57008 57008
x-iscii-ma | (iscii) | cp57009 57009
x-iscii-gu | (iscii) | cp57010 57010
x-iscii-pa | (iscii) | cp57011 57011
"""  # noqa: E501 - one charset, one line


def _rows(table: str) -> list[tuple[str, str, list[str]]]:
    rows = [line.split("|") for line in table.strip().splitlines()]
    return [(name.strip(), codec.strip(), labels.split()) for name, codec, labels in rows]


CODECS = {name: codec for name, codec, _ in _rows(_FILES + _WEB.lstrip())}
"""Python's codec for each name, or in brackets which of our own decoders."""

_NAMES = {label: name for name, _, labels in _rows(_WEB) for label in (name, *labels)}


def name_of(label: str) -> str:
    """The name of the charset that a label stands for on the web; empty when it stands for none."""
    return _NAMES.get(label.strip(" \t\n\f\r\"'").lower(), "") if len(label) < 64 else ""


def file_name_of(label: str) -> str:
    """The same for files and mails, which know DOS, Mac, mainframe and Indian charsets too."""
    if len(label) >= 64:
        return ""
    label = label.strip(" \t\n\f\r\"'").lower()
    return _NAMES.get(label) or _file_names().get(label) or _file_names().get(_plain(label), "")


@cache
def _file_names() -> dict[str, str]:
    return {label: name for name, _, labels in _rows(_FILES) for label in (name, *labels)}


def _plain(label: str) -> str:
    """`CP-437` and `ibm_437` as the table writes them."""
    digits = label.lstrip("cpibm-_")
    return f"cp{digits}" if digits.isdigit() and label != digits else label.replace("_", "-")
