"""Frontiers that ask for pages again, for plays: with a rhythm that the test chooses."""

from collections.abc import Sequence
from dataclasses import replace

from shoal.frontier.background.revisit_dates import Selection
from shoal.frontier.outcome.missing import MissingSettings
from shoal.frontier.schedule.allowance import Mode, RevisitSettings
from shoal.frontier.schedule.politeness import Politeness
from shoal.frontier.state.settings import FrontierSettings, Seams
from shoal.model.cell import to_ms
from shoal.model.change_history import Change, ChangeHistory
from shoal.model.document import Document, Understood
from shoal.model.listings.listing import ListedUrl
from shoal.model.visit import Fetched, Visit
from shoal.ports import Batch
from tests.frontier.play import Play, PlaySettings

FAST = FrontierSettings(seed=1, politeness=Politeness(delay=0, delay_factor=0, address_share=0))
DAY = 86_400.0


class Every:
    """A Refresher: look again after so long, whatever was seen."""

    def __init__(self, seconds: float = DAY, change: Change = Change.NONE) -> None:
        self.seconds = seconds
        self.change = change
        """What every later visit finds."""
        self.plans = True

    def learn(
        self,
        visit: Visit,
        fetched: Fetched,
        understood: Understood,
        resemblance: float,
        history: ChangeHistory | None,
    ) -> tuple[ChangeHistory, Change]:
        del visit, understood, resemblance
        change = self.change if history is not None and history.seen_ms else Change.UNKNOWN
        observed = 0 if history is None else history.observed + 1
        return ChangeHistory(observed=observed, seen_ms=to_ms(fetched.ended)), change

    def plan(self, batch: Batch, row: bytes, history: ChangeHistory, now: float) -> float | None:
        del batch, row, history
        return now + self.seconds if self.plans else None

    def forget(self, batch: Batch, history: ChangeHistory) -> None:
        """Nothing is."""


class PlainDesk:
    """A SourceDesk: sources are asked again after so long, and pages are what the test says."""

    def __init__(self, seconds: float = DAY, *, plans: bool = True) -> None:
        self.seconds = seconds
        self.plans = plans
        self.removed = False
        """Whether a person wants no feed any more."""
        self.adopts = False
        """Whether every page turns out to be a feed."""

    def take(
        self, batch: Batch, visit: Visit, fetched: Fetched, understood: Understood, now: float
    ) -> tuple[Sequence[ListedUrl], float | None]:
        del batch, visit, fetched
        return understood.listed, now + self.seconds if self.plans and not self.removed else None

    def adopt(self, batch: Batch, row: bytes, document: Document, now: float) -> float | None:
        del batch, row, document
        return now + self.seconds if self.adopts else None

    def is_wanted(self, row: bytes) -> bool:
        del row
        return not self.removed


def crawling(
    mode: Mode = Mode.STEADY,
    *,
    every: float = DAY,
    frontier: FrontierSettings = FAST,
    again: RevisitSettings | None = None,
    missing: MissingSettings | None = None,
) -> PlaySettings:
    """Settings of a frontier in this mode."""
    asks_again = mode is Mode.STEADY
    settings = replace(
        frontier,
        revisits=replace(again or RevisitSettings(), mode=mode),
        missing=replace(missing or MissingSettings(), asks_again=asks_again),
    )
    refresher = Every(every)
    refresher.plans = asks_again
    return PlaySettings(
        settings, Seams(refresher=refresher, source_schedule=PlainDesk(plans=asks_again))
    )


def go_on_as(
    play: Play,
    settings: PlaySettings,
    selection: Selection | None = None,
    *,
    killed: bool = False,
) -> None:
    """The crawl ends, or is killed, and another begins on its table; a refresh, of all pages or of
    some."""
    if not killed:
        play.frontier.close()
    play.settings = settings
    play.open()
    if settings.frontier.revisits.mode is Mode.REFRESH:
        choose(play, selection or Selection())


def choose(play: Play, selection: Selection) -> None:
    """As `Engine.refresh` does."""
    schedules = play.frontier.schedules
    play.frontier.change(lambda batch, now: schedules.select(selection, batch, now))
    while schedules.pending:
        play.frontier.change(schedules.go_on)
