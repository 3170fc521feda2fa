"""What does the frontier keep? Its state, opened together and handed to the parts that write in
them.
"""

from typing import NamedTuple

from shoal.frontier.schedule.allowance import Allowance
from shoal.frontier.schedule.front import Front
from shoal.frontier.schedule.sites import Sites
from shoal.frontier.state.in_flight import InFlight
from shoal.frontier.state.urls import Urls
from shoal.ports import Table


class FrontierState(NamedTuple):
    table: Table
    urls: Urls
    sites: Sites
    front: Front
    in_flight: InFlight
    allowance: Allowance
