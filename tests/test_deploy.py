"""deploy/, as far as it can be checked without Docker and Kubernetes: fields, commands, users.

The fields are held against a small schema (deploy_schema.py), the commands against the command line
as it is, and Ray's flags against Ray's own source, where it is installed.
"""

import importlib.metadata
import importlib.util
import json
import re
import shlex
import tomllib
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest
import typer.main

from shoal.cli.main import _register_commands
from shoal.cli.options import app
from shoal.config import load
from tests.deploy_schema import COMPOSE, OBJECTS, faults

yaml = pytest.importorskip("yaml", reason="PyYAML is not installed; the extra `ray` brings it")

PROJECT = Path(__file__).resolve().parent.parent
DEPLOY = PROJECT / "deploy"
IMAGE = "shoal:local"
INSTRUCTIONS = {"FROM", "RUN", "WORKDIR", "COPY", "ENV", "VOLUME", "USER", "CMD"}
SHELL_ENDS = re.compile(r"&&|\|\||;")


def documents(name: str) -> list[dict[str, Any]]:
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the one in C is ten times as fast
    return list(yaml.load_all((DEPLOY / name).read_text(encoding="utf-8"), loader))


def manifests() -> list[dict[str, Any]]:
    return [each for name in ("rayjob.yaml", "raycluster.yaml") for each in documents(name)]


def compose() -> dict[str, Any]:
    return documents("docker-compose.yml")[0]


def cluster_of(manifest: dict[str, Any]) -> dict[str, Any]:
    spec: dict[str, Any] = manifest["spec"]
    return spec["rayClusterSpec"] if manifest["kind"] == "RayJob" else spec


def clusters() -> list[dict[str, Any]]:
    return [cluster_of(each) for each in manifests() if each["kind"].startswith("Ray")]


def pods(cluster: dict[str, Any]) -> list[dict[str, Any]]:
    groups = [cluster["headGroupSpec"], *cluster["workerGroupSpecs"]]
    return [group["template"]["spec"] for group in groups]


def containers() -> list[dict[str, Any]]:
    found = []
    for pod in (pod for cluster in clusters() for pod in pods(cluster)):
        found += [*pod.get("initContainers", []), *pod["containers"]]
    return found


def instructions() -> list[tuple[str, str]]:
    """The Dockerfile's, without comments, continued lines joined."""
    text = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    joined = "\n".join(lines).replace("\\\n", " ")
    found = [line.partition(" ") for line in joined.splitlines() if line.strip()]
    return [(name, rest.strip()) for name, _, rest in found]


def command_lines() -> Iterator[str]:
    """Every command that the files run, and those that their comments tell people to type."""
    run = [service["command"] for service in compose()["services"].values()]
    run += [container["command"] for container in containers() if "command" in container]
    for words in run:
        is_script = words[:2] == ["sh", "-c"]
        yield words[2].replace("$$", "$") if is_script else shlex.join(words)
    yield from (each["spec"]["entrypoint"] for each in manifests() if each["kind"] == "RayJob")
    for file in DEPLOY.iterdir():
        lines = file.read_text(encoding="utf-8").splitlines()
        typed = [line[1:].strip() for line in lines if line.startswith("#    ")]
        yield from "\n".join(typed).replace("\\\n", " ").splitlines()


def calls(program: str) -> list[list[str]]:
    """The words behind `ray` or `shoal`, up to where the shell's next command begins."""
    found = []
    for line in command_lines():
        for part in SHELL_ENDS.split(line):
            start = re.search(rf"(?:^|\s){program} (?=[a-z])", part)
            if start:
                found.append(shlex.split(part[start.end() :]))
    return found


@pytest.mark.parametrize("manifest", manifests(), ids=lambda each: str(each["kind"]))
def test_the_manifests_have_only_known_fields(manifest: dict[str, Any]) -> None:
    assert faults(manifest, OBJECTS[manifest["kind"]], manifest["kind"]) == []


def test_the_compose_file_has_only_known_fields() -> None:
    assert faults(compose(), COMPOSE) == []


def test_a_planted_fault_is_found() -> None:
    job = next(each for each in manifests() if each["kind"] == "RayJob")
    head = job["spec"]["rayClusterSpec"]["headGroupSpec"]
    head["rayStartParameters"] = head.pop("rayStartParams")
    head["template"]["spec"]["terminationGracePeriodSeconds"] = "120"
    said = sorted(fault.rpartition(".")[2] for fault in faults(job, OBJECTS["RayJob"]))
    assert said == [
        "rayStartParameters: no such field",
        "terminationGracePeriodSeconds: '120' is no int",
    ]


def test_nothing_runs_as_root() -> None:
    users = [rest for name, rest in instructions() if name == "USER"]
    services = [service["user"] for service in compose()["services"].values()]
    assert {*users, *services} == {"10001:10001"}
    assert instructions()[-2][0] == "USER"  # only the command comes behind it
    for pod in (pod for cluster in clusters() for pod in pods(cluster)):
        assert pod["securityContext"]["runAsNonRoot"] is True
        assert pod["securityContext"]["runAsUser"] == 10001
    for container in containers():
        assert container["securityContext"]["allowPrivilegeEscalation"] is False
        assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}


def test_every_image_is_the_one_that_is_built() -> None:
    built = re.search(r"--tag (\S+)", (DEPLOY / "Dockerfile").read_text(encoding="utf-8"))
    images = [service["image"] for service in compose()["services"].values()]
    images += [container["image"] for container in containers()]
    assert built is not None
    assert {built[1], *images} == {IMAGE}


def test_every_pod_can_be_watched_limited_and_ended() -> None:
    for pod in (pod for cluster in clusters() for pod in pods(cluster)):
        assert pod["terminationGracePeriodSeconds"] >= 60
        volumes = {volume["name"] for volume in pod["volumes"]}
        for container in pod["containers"]:
            assert {mount["name"] for mount in container["volumeMounts"]} == volumes
            assert {"startupProbe", "readinessProbe", "livenessProbe"} <= container.keys()
        for container in (*pod.get("initContainers", []), *pod["containers"]):
            assert container["resources"].keys() == {"requests", "limits"}


def test_both_manifests_have_the_same_pods_but_for_where_the_truth_is() -> None:
    job, cluster = clusters()
    for here, there in zip(pods(job), pods(cluster), strict=True):
        assert here.pop("volumes")[1:] == there.pop("volumes")[1:]
        for container in (*here.get("initContainers", []), *here["containers"]):
            assert container["envFrom"].pop() == {"secretRef": {"name": "shoal-store"}}
    assert job == cluster


def test_no_secret_stands_in_the_files() -> None:
    assert all(manifest["kind"] != "Secret" for manifest in manifests())
    given = [manifest.get("data", {}) for manifest in manifests()]
    given += [service["environment"] for service in compose()["services"].values()]
    for name in (name for each in given for name in each):
        assert not re.search(r"KEY|SECRET|TOKEN|PASSWORD", name)


def test_variables_of_ours_are_settings(tmp_path: Path) -> None:
    given = [manifest.get("data", {}) for manifest in manifests()]
    given += [service["environment"] for service in compose()["services"].values()]
    ours = {k: v for each in given for k, v in each.items() if k.startswith("SHOAL_")}
    assert ours
    assert load(tmp_path, {}, ours).agent.contact


def test_the_dockerfile_reads_as_one() -> None:
    found = instructions()
    assert {name for name, _ in found} == INSTRUCTIONS
    assert found[0][0] == "FROM"
    assert all(rest for _, rest in found)
    assert json.loads(next(rest for name, rest in found if name == "CMD")) == ["shoal", "--help"]


def test_the_image_has_the_extra_and_the_manifests_ray() -> None:
    extras = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    (installed,) = (rest for name, rest in instructions() if "pip install" in rest)
    (extra,) = re.findall(r'"\.\[(\w+)\]"', installed)
    assert any(each.startswith("ray>") for each in extras["optional-dependencies"][extra])
    (version,) = re.findall(r'"ray\[default\]==([\d.]+)"', installed)
    assert {cluster["rayVersion"] for cluster in clusters()} == {version}


def test_what_is_copied_into_the_image_is_there_and_not_ignored() -> None:
    ignored = (DEPLOY / "Dockerfile.dockerignore").read_text(encoding="utf-8").split()
    allowed = [line[1:] for line in ignored if line.startswith("!")]
    copied = []
    for name, rest in instructions():
        if name == "COPY" and not rest.startswith("--from"):
            copied += rest.split()[:-1]
    assert "src" in copied
    for each in copied:
        assert (PROJECT / each).exists()
        assert any(fnmatch(each, pattern) for pattern in allowed)


def test_what_is_mounted_is_where_the_image_works() -> None:
    home = dict(instructions())["VOLUME"]
    mounts = {mount["mountPath"] for c in containers() for mount in c.get("volumeMounts", [])}
    assert home in mounts
    assert {v.partition(":")[2] for s in compose()["services"].values() for v in s["volumes"]} == {
        home
    }


def test_the_commands_are_those_of_the_command_line() -> None:
    found = [words for words in calls("shoal") if words[0] == "cluster"]
    assert {words[1] for words in found} == {"create", "start", "status"}
    _register_commands()
    everything: Any = typer.main.get_command(app)
    for words in found:
        command = everything.commands["cluster"].commands[words[1]]
        command.make_context(words[1], list(words[2:]))


def ray_source(name: str) -> str:
    found = importlib.util.find_spec("ray")
    if found is None or found.origin is None:
        pytest.skip("Ray is not installed; the extra `ray` brings it")
    return (Path(found.origin).parent / name).read_text(encoding="utf-8")


def test_rays_flags_are_those_of_ray() -> None:
    source = ray_source("scripts/scripts.py")
    flags = {word.partition("=")[0] for words in calls("ray") for word in words[1:]}
    flags = {flag for flag in flags if flag.startswith("--")}
    for cluster in clusters():
        for group in (cluster["headGroupSpec"], *cluster["workerGroupSpecs"]):
            flags |= {f"--{name}" for name in group["rayStartParams"]}
    assert {"--head", "--block", "--object-store-memory"} <= flags
    for flag in flags:
        assert f'"{flag}"' in source, flag
    assert '"health-check"' in source or "def healthcheck" in source


def test_rays_version_and_its_probe_are_those_of_ray() -> None:
    source = ray_source("dashboard/modules/reporter/healthz_agent.py")
    probes = {
        command[-1]
        for container in containers()
        if "livenessProbe" in container
        for command in [container["livenessProbe"]["exec"]["command"]]
    }
    (probe,) = probes
    compile(probe, "probe", "exec")
    path = re.search(r"localhost:52365(/[\w/]+)", probe)
    assert path is not None
    assert f'"{path[1]}"' in source
    assert {cluster["rayVersion"] for cluster in clusters()} == {importlib.metadata.version("ray")}
