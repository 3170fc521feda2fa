"""What does the frontier keep? Its books, opened together and handed to the parts that write in
them.
"""

from typing import NamedTuple

from shoal.frontier.allowance import Allowance
from shoal.frontier.front import Front
from shoal.frontier.in_flight import InFlight
from shoal.frontier.sites import Sites
from shoal.frontier.urls import Urls
from shoal.ports import Table


class Books(NamedTuple):
    table: Table
    urls: Urls
    sites: Sites
    front: Front
    in_flight: InFlight
    allowance: Allowance
