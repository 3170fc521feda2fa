"""What is a request, and what an answer? The one module that knows Starlette.

All others take the names from here, so that the library can be replaced in one place.
"""

from starlette.applications import Starlette as Starlette
from starlette.concurrency import run_in_threadpool as run_in_threadpool
from starlette.datastructures import Headers as Headers
from starlette.datastructures import MutableHeaders as MutableHeaders
from starlette.exceptions import HTTPException as HTTPException
from starlette.requests import ClientDisconnect as ClientDisconnect
from starlette.requests import Request as Request
from starlette.responses import RedirectResponse as RedirectResponse
from starlette.responses import Response as Response
from starlette.responses import StreamingResponse as StreamingResponse
from starlette.routing import Mount as Mount
from starlette.routing import Route as Route
from starlette.staticfiles import StaticFiles as StaticFiles
from starlette.types import ASGIApp as ASGIApp
from starlette.types import Message as Message
from starlette.types import Receive as Receive
from starlette.types import Scope as Scope
from starlette.types import Send as Send
