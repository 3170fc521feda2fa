"""Can an encrypted workbook be read? Only if its password is the one that Excel tries by itself.

A workbook that is merely protected against changes is written encrypted with a fixed password, and
every reader opens it without asking ([MS-OFFCRYPTO], standard and agile encryption). With any other
password it stays closed: `encrypted`.
"""

import base64
import hashlib
import struct

from shoal.converters.context import Context, Converted
from shoal.converters.ole.ole import Compound
from shoal.converters.sheet.xlsx import convert as convert_package
from shoal.converters.sheet.xlsx_aes import MAX_BYTES, Aes
from shoal.converters.xml import Element, attribute, named, parse
from shoal.model.page import Page

PASSWORD = "VelvetSweatshop"  # noqa: S105 - no secret: the specification names it
_HASHES = {"SHA1": "sha1", "SHA256": "sha256", "SHA384": "sha384", "SHA512": "sha512"}
_KEY_BLOCK = bytes.fromhex("146e0be7abacd0d6")
_INPUT_BLOCK = bytes.fromhex("fea7d2763b4b9e79")
_VALUE_BLOCK = bytes.fromhex("d7aa0f6d3061344e")
_MAX_SPINS = 1_000_000
_SEGMENT_BYTES = 4096


def convert(body: bytes, context: Context) -> list[Converted]:
    data = decrypted(Compound(body, context.limits))
    if not data:
        return [Converted(Page(), problem="encrypted")]
    if b"xl/" in data:
        return convert_package(data, context)
    return [Converted(Page()), *context.inside(data, context.name)]


def decrypted(compound: Compound) -> bytes:
    """The package; empty when the password is another one."""
    info, package = compound.read("EncryptionInfo"), compound.read("EncryptedPackage")
    if len(info) < 8 or not 8 <= len(package) <= MAX_BYTES:
        return b""
    (size,) = struct.unpack_from("<Q", package)
    try:
        if info[:4] == b"\4\0\4\0":
            data = _agile(info[8:], package[8:])
        else:
            data = _standard(info, package[8:])
    except (struct.error, ValueError):
        return b""
    return data[:size] if data[:2] == b"PK" else b""


def _spin(algorithm: str, salt: bytes, count: int) -> bytes:
    digest = hashlib.new(algorithm, salt + PASSWORD.encode("utf-16-le")).digest()
    for number in range(min(count, _MAX_SPINS)):
        digest = hashlib.new(algorithm, struct.pack("<I", number) + digest).digest()
    return digest


def _standard(info: bytes, package: bytes) -> bytes:
    (header_bytes,) = struct.unpack_from("<I", info, 8)
    (key_bits,) = struct.unpack_from("<I", info, 12 + 16)
    at = 12 + header_bytes
    salt = info[at + 4 : at + 20]
    digest = _spin("sha1", salt, 50_000)
    digest = hashlib.sha1(digest + bytes(4), usedforsecurity=False).digest()
    key = b""
    for pad in (0x36, 0x5C):
        block = bytes(byte ^ pad for byte in digest.ljust(64, b"\0"))
        key += hashlib.sha1(block, usedforsecurity=False).digest()
    aes = Aes(key[: (key_bits or 128) // 8])
    verifier = aes.ecb(info[at + 20 : at + 36])
    expected = aes.ecb(info[at + 40 : at + 72])[:20]
    if hashlib.sha1(verifier, usedforsecurity=False).digest() != expected:
        return b""
    return aes.ecb(package)


def _agile(xml: bytes, package: bytes) -> bytes:
    root = parse(xml)
    if root is None:
        return b""
    data = next(named(root, "keyData"), None)
    lock = next(named(root, "encryptedKey"), None)
    if data is None or lock is None:
        return b""
    algorithm, salt = _hash_of(lock), _bytes(lock, "saltValue")
    digest = _spin(algorithm, salt, int(attribute(lock, "spinCount") or 0))
    key_bytes = int(attribute(lock, "keyBits") or 0) // 8

    def opened(block: bytes, name: str) -> bytes:
        key = hashlib.new(algorithm, digest + block).digest()[:key_bytes]
        return Aes(key.ljust(key_bytes, b"\x36")).cbc(_bytes(lock, name), salt.ljust(16, b"\x36"))

    verifier = opened(_INPUT_BLOCK, "encryptedVerifierHashInput")
    expected = opened(_VALUE_BLOCK, "encryptedVerifierHashValue")
    if not expected.startswith(hashlib.new(algorithm, verifier[: len(salt)]).digest()):
        return b""
    aes = Aes(opened(_KEY_BLOCK, "encryptedKeyValue")[: int(attribute(data, "keyBits") or 0) // 8])
    algorithm, salt = _hash_of(data), _bytes(data, "saltValue")
    pieces: list[bytes] = []
    for number, at in enumerate(range(0, len(package), _SEGMENT_BYTES)):
        vector = hashlib.new(algorithm, salt + struct.pack("<I", number)).digest()[:16]
        pieces.append(aes.cbc(package[at : at + _SEGMENT_BYTES], vector))
    return b"".join(pieces)


def _hash_of(element: Element) -> str:
    name = _HASHES.get(attribute(element, "hashAlgorithm").replace("-", "").upper())
    if name is None:
        raise ValueError("unknown hash")
    return name


def _bytes(element: Element, name: str) -> bytes:
    return base64.b64decode(attribute(element, name))
