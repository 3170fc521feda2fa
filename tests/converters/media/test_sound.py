"""Tags of sound files, as programs really write them."""

import struct
import zlib

from shoal.converters.context import Converted
from shoal.converters.media import asf, audio, matroska, midi, mp4, ogg, riff
from tests.converters.parts import context


def synchsafe(number: int) -> bytes:
    return bytes(number >> shift & 127 for shift in (21, 14, 7, 0))


def frame(ident: str, data: bytes, version: int = 3, flags: int = 0) -> bytes:
    if version == 2:
        return ident.encode() + len(data).to_bytes(3, "big") + data
    size = synchsafe(len(data)) if version == 4 else struct.pack(">I", len(data))
    return ident.encode() + size + struct.pack(">H", flags) + data


def tag(*frames: bytes, version: int = 3, flags: int = 0) -> bytes:
    content = b"".join(frames) + bytes(20)
    return b"ID3" + bytes([version, 0, flags]) + synchsafe(len(content)) + content


def read(body: bytes) -> Converted:
    (found,) = audio.convert(body + b"\xff\xfb\x90\x00" + bytes(100), context())
    return found


def test_every_version_and_every_encoding() -> None:
    for version, title, artist in ((2, "TT2", "TP1"), (3, "TIT2", "TPE1"), (4, "TIT2", "TPE1")):
        for encoding, codec in ((0, "latin-1"), (1, "utf-16"), (2, "utf-16-be"), (3, "utf-8")):
            head = bytes([encoding])
            page = read(
                tag(
                    frame(title, head + "Größe".encode(codec), version),
                    frame(artist, head + "Aal\x00Barsch".encode(codec), version),
                    version=version,
                )
            ).page
            assert page.title == "Größe"
            assert page.author == "Aal, Barsch"


def test_letters_that_only_call_themselves_western() -> None:
    for artist, title, codec in (
        ("Кино", "Звезда по имени Солнце", "cp1251"),
        ("周杰伦", "七里香 我的地盘", "gbk"),
        ("Édith Piaf", "Déjeuner à l'île", "cp1252"),
    ):
        frames = [
            frame(ident, b"\x00" + text.encode(codec))
            for ident, text in (("TPE1", artist), ("TIT2", title))
        ]
        page = read(tag(*frames)).page
        assert (page.author, page.title) == (artist, title)


def test_unsynchronised_and_packed_frames() -> None:
    raw = b"\x01\xff\xfeM\x00\xff\x00"  # "Mÿ" in UTF-16
    whole = tag(frame("TIT2", raw).replace(b"\xff", b"\xff\x00"), flags=0x80)
    assert read(whole).page.title == "Mÿ"
    packed = frame("TIT2", struct.pack(">I", 5) + zlib.compress(b"\x03Krill"), flags=0x80)
    assert read(tag(packed)).page.title == "Krill"
    later = frame("TIT2", struct.pack(">I", 6) + zlib.compress(b"\x03Krill"), 4, 0x09)
    assert read(tag(later, version=4)).page.title == "Krill"


def test_sizes_of_2_4_that_are_plain_numbers() -> None:
    long = b"\x03" + b"a reef " * 40
    wrong = b"TALB" + struct.pack(">IH", len(long), 0) + long
    found = read(tag(wrong, frame("TIT2", b"\x03Coral", 4), version=4))
    assert found.page.title == "Coral"


def test_comments_lyrics_and_genres() -> None:
    text = read(
        tag(
            frame("COMM", b"\x00eng\x00Seen at night"),
            frame("COMM", b"\x00engiTunNORM\x00 0000 0000 0000"),
            frame("USLT", b"\x01eng\xff\xfe\x00\x00" + "One fish\n\ntwo fish".encode("utf-16")),
            frame("TCON", b"\x00(17)"),
            frame(
                "SYLT",
                b"\x03eng\x02\x01\x00Up\x00\x00\x00\x00\x01 it\x00\x00\x00\x00\x02"
                b" swims\x00\x00\x00\x00\x03",
            ),
        )
    ).page.text
    assert text == "Comment\tSeen at night\nGenre\tRock\nOne fish\ntwo fish\nUp it swims"


def test_chapters() -> None:
    chapter = b"ch1\x00" + bytes(16) + frame("TIT2", b"\x03The lagoon")
    (block,) = read(tag(frame("CHAP", chapter))).page.blocks
    assert block.text == "The lagoon"


def test_old_tags_at_the_end() -> None:
    version_1 = b"TAG" + b"A very long title about the re".ljust(30) + b"Eel".ljust(30, b"\x00")
    version_1 += (
        b"Nets".ljust(30, b"\x00") + b"1999" + b"Rough sea".ljust(29, b"\x00") + b"\x07\x50"
    )
    body = tag(frame("TIT2", b"\x03A very long title about the reef"), version=4) + bytes(50)
    lyrics = b"LYRICSBEGINLYR00017[00:01]Blow, wind"
    lyrics += f"{len(lyrics):06}LYRICS200".encode()
    (found,) = audio.convert(body + lyrics + version_1, context())
    assert found.page.title == "A very long title about the reef"
    rows = found.page.blocks[0].text.split("\n")
    assert rows[0] == "Title\tA very long title about the reef"
    assert {"Artist\tEel", "Date\t1999", "Track\t7", "Genre\tFolk", "Comment\tRough sea"} <= {*rows}
    assert found.page.blocks[1].text == "Blow, wind"


def box(kind: bytes, *content: bytes) -> bytes:
    data = b"".join(content)
    return struct.pack(">I", 8 + len(data)) + kind + data


def test_quicktimes_own_tags() -> None:
    title = "Øresund".encode("mac_roman")
    old = box(b"\xa9nam", struct.pack(">HH", len(title), 0), title)
    place = box(b"\xa9xyz", struct.pack(">HH", 18, 0), b"+54.3213-010.1348/")
    keys = box(b"keys", bytes(4), struct.pack(">I", 1), box(b"mdta", b"com.apple.quicktime.model"))
    item = box(b"\x00\x00\x00\x01", box(b"data", b"\x00\x00\x00\x01", bytes(4), b"Reefcam"))
    meta = box(b"meta", box(b"hdlr", bytes(20)), keys, box(b"ilst", item))
    chapters = box(b"chpl", b"\x01" + bytes(8), bytes(8) + b"\x05Kelp!")
    (found,) = mp4.convert(box(b"moov", box(b"udta", old, place, chapters), meta), context())
    assert found.page.text == (
        "Title\tØresund\nLocation\t54.32130, -10.13480\nCamera model\tReefcam\nKelp!"
    )


def test_broadcast_sound_and_names_of_cues() -> None:
    bext = b"Humpback off the pier".ljust(256, b"\x00") + b"Station 4".ljust(32, b"\x00")
    bext += bytes(32) + b"2019-08-01" + bytes(280)
    label = struct.pack("<I", 1) + b"First breath\x00\x00"
    notes = b"adtl" + b"labl" + struct.pack("<I", len(label)) + label
    body = b"RIFF\xff\xff\xff\xffWAVEbext" + struct.pack("<I", len(bext)) + bext
    body += b"LIST" + struct.pack("<I", len(notes)) + notes
    (found,) = riff.convert(body, context())
    assert found.page.published == "2019-08-01"
    assert found.page.description == "Humpback off the pier"
    assert found.page.blocks[-1].text == "First breath"


def test_a_packet_over_many_pages() -> None:
    comment = "TITLE=" + "shoal " * 200
    packet = b"OpusTags" + bytes(4) + struct.pack("<I", 1)
    packet += struct.pack("<I", len(comment)) + comment.encode()
    parts = [packet[at : at + 510] for at in range(0, len(packet), 510)]
    body = b"OggS\x00\x02" + bytes(8) + struct.pack("<III", 7, 0, 0) + b"\x01\x08OpusHead"
    for number, part in enumerate(parts):
        table = bytes([255] * (len(part) // 255))
        if number == len(parts) - 1:
            table += bytes([len(part) % 255])
        body += b"OggS\x00\x00" + bytes(8) + struct.pack("<III", 7, number + 1, 0)
        body += bytes([len(table)]) + table + part
    (found,) = ogg.convert(body, context())
    assert found.page.title == " ".join(["shoal"] * 200)[:1000]


def test_a_live_film_has_clusters_without_an_end() -> None:
    def element(ident: str, data: bytes) -> bytes:
        return bytes.fromhex(ident) + struct.pack(">Q", 1 << 56 | len(data)) + data

    track = element("AE", element("D7", b"\x01") + element("86", b"S_TEXT/UTF8"))
    body = element("1A45DFA3", b"") + bytes.fromhex("18538067") + b"\xff"
    body += element("1654AE6B", track)
    for line in (b"The tide", b"goes <b>out</b>"):
        body += bytes.fromhex("1F43B675") + b"\xff" + element("E7", b"\x00")
        body += element("A3", b"\x81\x00\x00\x80" + line)
    (found,) = matroska.convert(body, context())
    assert found.page.text == "The tide\ngoes out"


def test_windows_media_numbers_and_lyrics() -> None:
    def wide(text: str) -> bytes:
        return (text + "\x00").encode("utf-16-le")

    def item(name: str, kind: int, value: bytes) -> bytes:
        label = wide(name)
        head = struct.pack("<H", len(label)) + label + struct.pack("<HH", kind, len(value))
        return head + value

    values = item("WM/TrackNumber", 3, struct.pack("<I", 4)) + item("WM/Lyrics", 0, wide("La la"))
    data = struct.pack("<H", 2) + values
    extended = asf._EXTENDED + struct.pack("<Q", 24 + len(data)) + data
    body = asf._HEADER + struct.pack("<Q", 30 + len(extended)) + bytes(6) + extended
    (found,) = asf.convert(body, context())
    assert found.page.text == "Track\t4\nLa la"


def test_karaoke() -> None:
    def text(content: bytes) -> bytes:
        return b"\x00\xff\x01" + bytes([len(content)]) + content

    words = (b"@TThe Net", b"@TThe Anglers", b"\\Hold ", b"fast", b"/the ", b"net")
    track = b"".join(text(each) for each in words) + b"\x00\xff\x2f\x00"
    body = b"MThd" + struct.pack(">IHHH", 6, 0, 1, 96) + b"MTrk" + struct.pack(">I", len(track))
    (found,) = midi.convert(body + track, context())
    assert found.page.text == "Title\tThe Net\nArtist\tThe Anglers\nHold fast the net"
