"""Who asks the tablets of a running cluster, from another process than the one that runs it?"""

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

import ray

from shoal.cluster.fleet import actor_name, namespace_of
from shoal.cluster.ray_nodes import connect
from shoal.errors import CollectionError
from shoal.model.principal import Principal

Answer = TypeVar("Answer")

_PATIENCE_SECONDS = 60.0
_AGAIN_SECONDS = 1.0
_ASK_SECONDS = 600.0
"""A slice of a large tablet, or all its votes."""

_Asked = tuple[int, str, tuple[Any, ...]]
"""A tablet, a method, and what that is given."""


class Actors:
    """The tablets of a running cluster, by their names."""

    def __init__(self, cluster: str) -> None:
        self._cluster = cluster
        self._handles: dict[int, Any] = {}

    def answers(self, asked: Sequence[_Asked]) -> list[Any]:
        """Once more where a tablet has moved: questions change nothing that twice would spoil."""
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while True:
            try:
                found: list[Any] = ray.get(
                    [self._put(*each) for each in asked], timeout=_ASK_SECONDS
                )
            except ray.exceptions.RayTaskError as error:
                raise error.cause if isinstance(error.cause, Exception) else error from None
            except (ray.exceptions.RayActorError, ValueError) as error:
                self.forget()
                if time.monotonic() > deadline:
                    raise CollectionError("A tablet does not answer; try again.") from error
                time.sleep(_AGAIN_SECONDS)
            except (ray.exceptions.RayError, TimeoutError) as error:
                raise CollectionError("A tablet does not answer; try again.") from error
            else:
                return found

    def _put(self, tablet: int, method: str, given: tuple[Any, ...]) -> Any:
        """The reference of an answer. Without an actor of that name, a ValueError of Ray."""
        if tablet not in self._handles:
            name, space = actor_name(self._cluster, tablet), namespace_of(self._cluster)
            self._handles[tablet] = ray.get_actor(name, namespace=space)
        return self._handles[tablet].call.remote(method, *given)

    def forget(self) -> None:
        """Those that moved are found again."""
        self._handles.clear()


class RayTablets:
    """The `Tablets` of collection/tablets.py."""

    def __init__(self, cluster: str, tablets: int, address: str, principal: Principal) -> None:
        self._actors = Actors(cluster)
        self._principal = principal
        self._connected = not ray.is_initialized()
        if self._connected:
            connect(address, cluster)
        self.count = tablets

    def ask(
        self, tablet: int, question: Callable[..., Answer], *given: Any, **named: Any
    ) -> Answer:
        found: Answer = self._answers(partial(question, **named), {tablet: given})[0]
        return found

    def ask_all(self, question: Callable[..., Answer], *given: Any, **named: Any) -> list[Answer]:
        return self._answers(partial(question, **named), dict.fromkeys(range(self.count), given))

    def ask_each(
        self, question: Callable[..., Answer], given: Sequence[tuple[Any, ...]]
    ) -> list[Answer]:
        return self._answers(question, dict(enumerate(given)))

    def _answers(
        self, question: Callable[..., Answer], given: Mapping[int, tuple[Any, ...]]
    ) -> list[Answer]:
        as_who = self._principal
        return self._actors.answers(
            [(tablet, "ask_as", (as_who, question, *its)) for tablet, its in given.items()]
        )

    def refresh(self) -> None:
        """Tablets look at what is newest whenever they are asked."""
        self._actors.forget()

    def close(self) -> None:
        if self._connected:
            ray.shutdown()
            self._connected = False
