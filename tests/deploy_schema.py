"""Which fields may stand in the files of deploy/? Those that they use, written down by hand.

After KubeRay's v1 API (RayCluster, RayJob), Kubernetes' pod and the Compose specification. A field
that is not here may well exist: then it is added here, by somebody who has looked it up.
"""

from typing import Any

ANY = object()
MAP = object()
"""Names that are free, and texts."""

_RESOURCES = {"requests": MAP, "limits": MAP}
_PROBE = {
    "exec": {"command": [str]},
    "periodSeconds": int,
    "timeoutSeconds": int,
    "failureThreshold": int,
}
_CONTAINER = {
    "name": str,
    "image": str,
    "imagePullPolicy": str,
    "command": [str],
    "envFrom": [{"configMapRef": {"name": str}, "secretRef": {"name": str}}],
    "securityContext": {"allowPrivilegeEscalation": bool, "capabilities": {"drop": [str]}},
    "ports": [{"containerPort": int, "name": str}],
    "resources": _RESOURCES,
    "startupProbe": _PROBE,
    "readinessProbe": _PROBE,
    "livenessProbe": _PROBE,
    "volumeMounts": [{"name": str, "mountPath": str}],
}
_CLAIM = {"accessModes": [str], "resources": _RESOURCES}
_VOLUME = {
    "name": str,
    "ephemeral": {"volumeClaimTemplate": {"spec": _CLAIM}},
    "persistentVolumeClaim": {"claimName": str},
    "emptyDir": {"medium": str, "sizeLimit": str},
}
_POD = {
    "metadata": {"labels": MAP},
    "spec": {
        "terminationGracePeriodSeconds": int,
        "automountServiceAccountToken": bool,
        "securityContext": {
            "runAsNonRoot": bool,
            "runAsUser": int,
            "runAsGroup": int,
            "fsGroup": int,
            "seccompProfile": {"type": str},
        },
        "initContainers": [_CONTAINER],
        "containers": [_CONTAINER],
        "volumes": [_VOLUME],
    },
}
_CLUSTER = {
    "rayVersion": str,
    "headGroupSpec": {"rayStartParams": MAP, "template": _POD},
    "workerGroupSpecs": [
        {
            "groupName": str,
            "replicas": int,
            "minReplicas": int,
            "maxReplicas": int,
            "rayStartParams": MAP,
            "template": _POD,
        }
    ],
}
_JOB = {
    "entrypoint": str,
    "backoffLimit": int,
    "shutdownAfterJobFinishes": bool,
    "ttlSecondsAfterFinished": int,
    "rayClusterSpec": _CLUSTER,
}


def _object(api: str, kind: str, **body: object) -> dict[str, Any]:
    return {"apiVersion": {api}, "kind": {kind}, "metadata": {"name": str}, **body}


OBJECTS: dict[str, dict[str, Any]] = {
    "ConfigMap": _object("v1", "ConfigMap", data=MAP),
    "PersistentVolumeClaim": _object("v1", "PersistentVolumeClaim", spec=_CLAIM),
    "RayCluster": _object("ray.io/v1", "RayCluster", spec=_CLUSTER),
    "RayJob": _object("ray.io/v1", "RayJob", spec=_JOB),
}

_WAIT = {"condition": {"service_healthy", "service_completed_successfully", "service_started"}}
_NODE = {
    "image": str,
    "build": {"context": str, "dockerfile": str},
    "user": str,
    "init": bool,
    "cap_drop": [str],
    "security_opt": [str],
    "shm_size": str,
    "stop_grace_period": str,
    "env_file": [{"path": str, "required": bool}],
    "environment": MAP,
    "volumes": [str],
    "command": [str],
    "depends_on": {"create": _WAIT, "head": _WAIT},
    "healthcheck": {
        "test": [str],
        "interval": str,
        "timeout": str,
        "retries": int,
        "start_period": str,
    },
    "ports": [str],
    "deploy": {"replicas": int, "resources": {"limits": MAP}},
    "restart": {"no", "on-failure", "unless-stopped"},
}
COMPOSE: dict[str, Any] = {
    "name": str,
    "x-node": _NODE,
    "services": {"create": _NODE, "head": _NODE, "worker": _NODE},
    "volumes": {"shared": {}},
}


def faults(value: object, schema: object, place: str = "") -> list[str]:
    """What in a value is not as the schema says, each with its place."""
    if schema is ANY:
        return []
    if schema is MAP:
        texts = isinstance(value, dict) and all(isinstance(x, str) for x in value.values())
        return [] if texts else [f"{place}: not a map of texts"]
    if isinstance(schema, dict):
        if not isinstance(value, dict):
            return [f"{place}: not a map"]
        unknown = [f"{place}.{name}: no such field" for name in value if name not in schema]
        known = ((name, each) for name, each in value.items() if name in schema)
        return unknown + [
            fault for name, each in known for fault in faults(each, schema[name], f"{place}.{name}")
        ]
    if isinstance(schema, list):
        if not isinstance(value, list):
            return [f"{place}: not a list"]
        numbered = enumerate(value)
        return [fault for n, each in numbered for fault in faults(each, schema[0], f"{place}[{n}]")]
    if isinstance(schema, set):
        return [] if value in schema else [f"{place}: {value!r} is none of {sorted(schema)}"]
    assert isinstance(schema, type)
    fits = isinstance(value, schema) and not (schema is int and isinstance(value, bool))
    return [] if fits else [f"{place}: {value!r} is no {schema.__name__}"]
