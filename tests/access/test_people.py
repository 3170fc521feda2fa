"""Who is asking, and who has a token?"""

import grp
import os
import pwd
import stat
from pathlib import Path

import pytest

from shoal.access.people import Users, digest_of, person, person_of_uid, reader_named
from shoal.errors import CollectionError, UsageError

ME = pwd.getpwuid(os.getuid())


def test_a_user_of_this_machine_has_their_groups() -> None:
    found = person(ME.pw_name).names
    assert {f"u:{ME.pw_uid}", f"g:{ME.pw_gid}", "local", f"mail:{ME.pw_name}"} <= found
    assert person_of_uid(ME.pw_uid) == person(ME.pw_name)


def test_who_is_no_user_of_this_machine_has_no_part_in_it() -> None:
    assert person("nobody-of-this-name").names == {"mail:nobody-of-this-name"}
    assert person_of_uid(987_654_321).names == {"local", "u:987654321"}


def test_roles_are_given_by_name_and_by_group() -> None:
    group = grp.getgrgid(ME.pw_gid).gr_name
    roles = ["staff: ann, bob", f"makers: @{group}", "none: @no-such-group", "bad"]
    assert "r:staff" in person("ann", roles).names
    assert person("ann", roles).names == {"mail:ann", "r:staff"}
    assert "r:makers" in person(ME.pw_name, roles).names


def test_a_name_that_means_nothing_is_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="ann is no user of this machine"):
        reader_named("ann", tmp_path)
    assert reader_named("61001", tmp_path).names >= {"u:61001", "local"}
    Users(tmp_path).add("ann")
    assert reader_named("ann", tmp_path).names == {"mail:ann"}


def test_a_token_is_kept_nowhere(tmp_path: Path) -> None:
    users = Users(tmp_path)
    token = users.add("ann")
    file = tmp_path / "users.json"
    assert token not in file.read_text()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert users.having(digest_of(token)) == "ann"
    assert users.having(digest_of("other")) == ""


def test_a_token_that_is_taken_back_holds_no_longer_for_who_has_read_it_before(
    tmp_path: Path,
) -> None:
    serving, changing = Users(tmp_path), Users(tmp_path)
    first = changing.add("ann")
    assert serving.having(digest_of(first)) == "ann"
    second = changing.add("ann")
    assert serving.having(digest_of(first)) == ""
    assert serving.having(digest_of(second)) == "ann"
    changing.remove("ann")
    assert serving.having(digest_of(second)) == ""
    with pytest.raises(UsageError, match="ann has no token here"):
        changing.remove("ann")


def test_a_damaged_list_lets_nobody_in(tmp_path: Path) -> None:
    (tmp_path / "users.json").write_text("{")
    with pytest.raises(CollectionError, match="nobody is let in"):
        Users(tmp_path).having("x")


@pytest.mark.parametrize("name", ["", "a\nb", "x" * 201])
def test_a_name_is_a_line(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match="printable"):
        Users(tmp_path).add(name)
