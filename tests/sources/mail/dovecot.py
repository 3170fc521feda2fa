"""A mail server of one's own: dovecot on a loopback port, with its folders in a directory.

Nothing of the system's dovecot is used but its program. Where it is not installed, tests are
skipped.
"""

import os
import pwd
import shutil
import socket
import subprocess
import time
from pathlib import Path

import pytest

PASSWORD = "sea-horse"
_CONFIG = """
protocols = imap
listen = 127.0.0.1
base_dir = {run}
state_dir = {run}
log_path = {place}/log
default_internal_user = {internal}
default_internal_group = {group}
default_login_user = {login}
instance_name = {place}
ssl = {ssl}
{certificate}
disable_plaintext_auth = no
auth_mechanisms = plain login
first_valid_uid = 0
mail_location = maildir:{place}/mail
mailbox_idle_check_interval = 1 secs
maildir_stat_dirs = yes
namespace inbox {{
  inbox = yes
  separator = /
}}
passdb {{
  driver = static
  args = password={{PLAIN}}{password}
}}
userdb {{
  driver = static
  args = uid={uid} gid={gid} home={place}
}}
service anvil {{
  chroot =
}}
service stats {{
  chroot =
}}
service imap-login {{
  chroot =
  inet_listener imap {{
    port = {port}
  }}
  inet_listener imaps {{
    port = {secure_port}
    ssl = yes
  }}
}}
{more}
"""


def free_port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return int(sock.getsockname()[1])


class Dovecot:
    """`place` must be open to the user that mails belong to."""

    def __init__(self, place: Path, more: str = "", certificate: Path | None = None) -> None:
        program = shutil.which("dovecot", path=f"{os.environ['PATH']}:/usr/sbin")
        if program is None:
            pytest.skip("dovecot is not installed")
        is_root = os.getuid() == 0
        names = ("nobody", "nogroup", "nobody") if is_root else (_me(), _my_group(), _me())
        user = pwd.getpwnam(names[0])
        self.place, self.port, self.secure_port = place, free_port(), free_port()
        self.mail = place / "mail"
        self.mail.mkdir(exist_ok=True)
        run = place / "run"
        run.mkdir(exist_ok=True)
        if is_root:
            for each in (place, self.mail):
                os.chown(each, user.pw_uid, user.pw_gid)
        self._ids = (user.pw_uid, user.pw_gid)
        keys = "" if certificate is None else f"ssl_cert = <{certificate}\nssl_key = <{certificate}"
        config = place / "dovecot.conf"
        config.write_text(
            _CONFIG.format(
                place=place, run=run, internal=names[0], group=names[1], login=names[2],
                uid=user.pw_uid, gid=user.pw_gid, port=self.port, secure_port=self.secure_port,
                password=PASSWORD, more=more, ssl="no" if certificate is None else "yes",
                certificate=keys,
            )
        )  # fmt: skip
        self._command = [program, "-F", "-c", str(config)]
        self._process: subprocess.Popen[bytes] | None = None
        self.start()

    @property
    def address(self) -> str:
        return f"imap://ann@127.0.0.1:{self.port}"

    def start(self) -> None:
        self._process = subprocess.Popen(
            self._command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )
        for _ in range(400):
            try:
                with socket.create_connection(("127.0.0.1", self.port), timeout=5) as sock:
                    if sock.recv(100).startswith(b"* OK"):
                        return
            except OSError:
                pass
            if self._process.poll() is not None:
                break
            time.sleep(0.05)
        log = self.place / "log"
        said = log.read_text()[-1500:] if log.exists() else ""
        self.stop()
        raise AssertionError(f"dovecot does not start: {said}")

    def stop(self) -> None:
        if self._process is None:
            return
        self._process.terminate()
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait(20)
        if self._process.stderr is not None:
            self._process.stderr.close()
        self._process = None

    def give(self, path: Path) -> None:
        """Mails that a test wrote belong to whom the server works as."""
        if os.getuid() == 0:
            for each in (path, *path.rglob("*")):
                os.chown(each, *self._ids)


def _me() -> str:
    return pwd.getpwuid(os.getuid()).pw_name


def _my_group() -> str:
    import grp  # noqa: PLC0415 - only here

    return grp.getgrgid(os.getgid()).gr_name
