import pytest

from shoal.converters.sheet.xlsx_aes import Aes

PLAIN = bytes.fromhex("00112233445566778899aabbccddeeff")


@pytest.mark.parametrize(
    ("key_bytes", "locked"),
    [
        (16, "69c4e0d86a7b0430d8cdb78070b4c55a"),
        (24, "dda97ca4864cdfe06eaf70a0ec0d7191"),
        (32, "8ea2b7ca516745bfeafc49904b496089"),
    ],
)
def test_the_examples_of_the_standard(key_bytes: int, locked: str) -> None:
    """FIPS 197, appendix C."""
    assert Aes(bytes(range(key_bytes))).ecb(bytes.fromhex(locked)) == PLAIN


def test_chained_blocks() -> None:
    """NIST SP 800-38A, F.2.2."""
    aes = Aes(bytes.fromhex("2b7e151628aed2a6abf7158809cf4f3c"))
    locked = bytes.fromhex("7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2")
    assert aes.cbc(locked, bytes(range(16))).hex() == (
        "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"
    )


def test_a_key_of_another_length() -> None:
    with pytest.raises(ValueError, match="key"):
        Aes(b"short")
