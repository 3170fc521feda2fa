"""`shoal config` and `shoal doctor`: what is set, and whether the machine is fit for the job."""

import os
from pathlib import Path

from shoal.cli.options import Dir, Json, app, config_app


@config_app.command("show")
def config_show(given_dir: Dir = None, json: Json = False) -> None:
    """Every setting and who set it, as a shoal.toml."""
    from shoal.cli.terminal import screen
    from shoal.config import settings
    from shoal.layout.cluster_file import config_of
    from shoal.layout.layout import place_of

    config = config_of(place_of(given_dir), {}, dict(os.environ))
    if not json:
        screen.data(config.as_toml().encode())
        return
    values = {
        each.key: {"value": config.value_of(each.key), "from": config.origin_of(each.key)}
        for each in settings()
    }
    for host, address in config.resolve.items():
        key = f"resolve.{host}"
        values[key] = {"value": address, "from": config.origin_of(key)}
    screen.json(values)


@config_app.command("path")
def config_path(given_dir: Dir = None, json: Json = False) -> None:
    """Where the settings file of the collection is, or would be."""
    from shoal.cli.terminal import screen
    from shoal.errors import UsageError
    from shoal.layout.layout import Layout, place_of

    place = place_of(given_dir)
    if "://" in place:
        raise UsageError(f"{place} is a cluster; its settings are the object {place}/shoal.toml")
    path = Layout(Path(place)).settings.absolute()
    if json:
        screen.json({"path": str(path), "exists": path.exists()})
    else:
        screen.say(str(path))


@app.command()
def doctor(given_dir: Dir = None, json: Json = False) -> int:
    """What a crawl needs, and the exact fix for what is missing."""
    from shoal.access.opening import graph_place, settings_at
    from shoal.cli.terminal import screen
    from shoal.layout.layout import place_of
    from shoal.maintenance.doctor import examine, is_well

    place = place_of(given_dir)
    checks = examine(graph_place(place), settings_at(place, {}, os.environ))
    well = is_well(checks)
    if json:
        screen.json({"ok": well, "checks": checks})
        return 0 if well else 1
    for check in checks:
        mark = "ok     " if check.ok else ("MISSING" if check.needed else "beware ")
        screen.say(f"{mark} {check.name:<15} {check.says}")
        if not check.ok:
            screen.say(f"{'':<7} {'':<15} fix: {check.fix}")
    screen.say()
    screen.say("The main job can run." if well else "The main job can't run; see the fixes above.")
    return 0 if well else 1
