"""Which letter is a character of one of WordPerfect's own sets? A set and a number, best effort.

The sets are WordPerfect's (multinational, typographic, Greek, Cyrillic); what is not listed is a
drawing or a rare sign, and is left out.
"""

_MULTINATIONAL_FROM = 23
_MULTINATIONAL = (
    "ßĸȷ"
    "ÁáÂâÄäÀàÅåÆæÇçÉéÊêËëÈèÍíÎîÏïÌìÑñÓóÔôÖöÒòÚúÛûÜüÙùŸÿÃãĐđØøÕõÝýÐðÞþ"
    "ĂăĀāĄąĆćČčĈĉĊċĎďĚěĖėĒēĘęǴǵĞğǦǧĢģĜĝĠġĤĥĦħİiĪīĮįĨĩĲĳĴĵĶķĹĺĽľĻļĿŀŁłŃń"
    "NŉŇňŅņŐőŌōŒœŔŕŘřŖŗŚśŠšŞşŜŝŤťŢţŦŧŬŭŰűŪūŲųŮůŨũŴŵŶŷŹźŽžŻżŊŋ"
)
_TYPOGRAPHIC = "●○■•*¶§¡¿«»£¥₧ƒªº½¼¢²ⁿ®©¤¾³‛’‘‟”“–—‹›○□†‡™℠℞●◦■▪□▫‒ﬀﬃﬄﬁﬂ…$₣₢₠₤‚„⅓⅔⅛⅜⅝⅞ⓂⓅ€℅‰№"
_MATHEMATICAL = "−±≤≥∝"
_GREEK = "ΑαΒβΒϐΓγΔδΕεΖζΗηΘθΙιΚκΛλΜμΝνΞξΟοΠπΡρΣσΣςΤτΥυΦφΧχΨψΩω"
_CYRILLIC = "АаБбВвГгДдЕеЁёЖжЗзИиЙйКкЛлМмНнОоПпРрСсТтУуФфХхЦцЧчШшЩщЪъЫыЬьЭэЮюЯя"
_SETS = {
    1: (_MULTINATIONAL_FROM, _MULTINATIONAL),
    4: (0, _TYPOGRAPHIC),
    6: (0, _MATHEMATICAL),
    8: (0, _GREEK),
    10: (0, _CYRILLIC),
}
SHORT = "åÅæÆäÄáàâãÃçÇëéÉèêíñÑøØõÕöÖüÜúùß"
"""What the bytes 1 to 32 stand for since version 6."""


def letter(number: int, charset: int) -> str:
    if charset == 0:
        return chr(number) if 0x20 <= number < 0x7F else ""
    start, letters = _SETS.get(charset, (0, ""))
    place = number - start
    return letters[place] if 0 <= place < len(letters) else ""
