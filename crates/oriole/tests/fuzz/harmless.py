"""Keeps an engine that is fuzzed at home: sites that are added are on this machine, where nothing listens."""

import os
import zlib

import schemathesis

SITE = os.environ.get("ORIOLE_FUZZ_SITE")
NOBODY = "http://127.0.0.1:9/"
LONGEST = 2_000


@schemathesis.hook
def before_call(context, case, kwargs):
    order = case.body
    if SITE is None or case.path != "/api/v1/sites" or not isinstance(order, dict):
        return
    site = order.get("site")
    if not isinstance(site, str):
        return
    if len(site) <= LONGEST and zlib.crc32(repr(order).encode(errors="replace")) % 3 == 0:
        # Something that the engine knows, so that there is something to do.
        case.body = {**order, "site": SITE}
    elif order.get("action") == "add":
        # What is too long stays so, and nothing else becomes so.
        rest = site[len(NOBODY):] if len(site) > len(NOBODY) else site
        case.body = {**order, "site": NOBODY + rest}
