"""The dashboard on a large deployment, beside itself on an almost empty one and beside django-rq and rq-dashboard.

`uv run --group bench python benchmarks/dashboard.py`, with `--scale 0.01` for a quick look.

Each page is asked for in this process, through all middleware. The targets: a page in 150 ms (median), 10 round trips,
no command over 5 ms, at most twice the time of an almost empty server; a 304 in 10 ms; 15 KB, and 150 KB at the first
view with all that belongs to it. The almost empty one has one of each, and as many queues; the two are asked in turn.
"""

import argparse
import sys
import tempfile
import time
from dataclasses import fields
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from benchmarks.server import fresh_server

PORT = 8170
HEAD = (
    f"{'page':22}{'ms':>8}{'CPU':>7}{'empty':>8}{'CPU':>7}{'304':>7}{'drawn':>7}"
    f"{'trips':>7}{'commands':>10}{'Redis ms':>10}{'KB':>6}{'first':>7}  slowest"
)
KB = 1_000


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    for name, size in {"waiting": 1_000_000, "dead": 100_000, "workers": 1_000, "locks": 10_000}.items():
        parser.add_argument(f"--{name}", type=int, default=size)
    parser.add_argument("--entries", type=int, default=100_000)
    parser.add_argument("--finished", type=int, default=10_000)
    parser.add_argument("--scheduled", type=int, default=10_000)
    parser.add_argument("--queues", type=int, default=20)
    parser.add_argument("--scale", type=float, default=1.0, help="of all sizes but the queues")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--only", default="", help="pages whose name contains this")
    parser.add_argument("--without-peers", action="store_true")
    return parser.parse_args()


def main() -> None:
    given = read_arguments()
    from benchmarks.dashboard_data import Sizes, build, queue_names
    from benchmarks.dashboard_pages import (
        EMPTY,
        LARGE,
        choose_database,
        list_pages,
        measure_page,
        sign_in,
        weigh_assets,
    )

    sizes = {field.name: getattr(given, field.name) for field in fields(Sizes)}
    scaled = {name: size if name == "queues" else max(20, int(size * given.scale)) for name, size in sizes.items()}
    client = sign_in()
    choose_database(EMPTY)
    almost_empty = list_pages(build(Sizes(**dict.fromkeys(sizes, 1) | {"queues": given.queues})))
    choose_database(LARGE)
    began = time.monotonic()
    made = build(Sizes(**scaled))
    print(f"{', '.join(f'{size:,} {name}' for name, size in scaled.items())}: in {time.monotonic() - began:.0f} s\n")
    print(HEAD)
    for name, path in list_pages(made).items():
        if given.only not in name:
            continue
        cost, (empty_ms, empty_processor_ms) = measure_page(
            client, {EMPTY: almost_empty[name], LARGE: path}, given.rounds
        )
        first = cost.size + weigh_assets(client, path)
        print(
            f"{name:22}{cost.took_ms:8.1f}{cost.processor_ms:7.1f}{empty_ms:8.1f}{empty_processor_ms:7.1f}"
            f"{cost.shared_ms:7.1f}{cost.drawn_ms:7.1f}{cost.trips:7}{cost.commands:10,}{cost.redis_ms:10.1f}"
            f"{cost.size / KB:6.1f}{first / KB:7.1f}  {cost.slowest} {cost.slowest_ms:.1f}",
            flush=True,
        )
    if not given.without_peers:
        from benchmarks.dashboard_peers import print_peers

        print_peers(made, queue_names(scaled["queues"]))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="mandor-") as folder, fresh_server(Path(folder), port=PORT):
        main()
