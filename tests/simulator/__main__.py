# Copyright: (c) 2026, the edgeops.edges authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run the simulator as a process of its own: python -m simulator."""

from __future__ import annotations

import argparse
import contextlib
import os
import pathlib
import signal
import subprocess
import sys
import threading

from .options import parse
from .simulator import Simulator


def _arguments(argv: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m simulator", description=__doc__)
    parser.add_argument("--host", default="127.0.0.1", help="address to listen at (%(default)s)")
    parser.add_argument("--port", type=int, default=0, help="port to listen at; 0, the default: any free one")
    parser.add_argument("--url-file", type=pathlib.Path, help="write the base URL there once it is served")
    parser.add_argument("--pid-file", type=pathlib.Path, help="write the process id there")
    parser.add_argument("--log-file", type=pathlib.Path, help="append one JSON object for each request")
    parser.add_argument("--api-key", help="the key to take")
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE", help="see README.md; repeatable")
    parser.add_argument("--certfile", help="certificate: serve https")
    parser.add_argument("--keyfile", help="private key of the certificate")
    parser.add_argument("--client-ca", help="clients must show a certificate signed by this CA")
    parser.add_argument("--background", action="store_true", help="return once it serves, leave it running")
    parser.add_argument("--detached", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args(argv)
    try:
        arguments.options = dict(parse(option) for option in arguments.option)
    except ValueError as error:
        parser.error(str(error))
    if arguments.api_key:
        arguments.options["api_key"] = arguments.api_key
    return arguments


def _write(path: pathlib.Path | None, text: str) -> None:
    """Write a file such that it is there either whole or not at all."""
    if path:
        new = path.with_name(f"{path.name}.{os.getpid()}")
        new.write_text(text + "\n", encoding="utf-8")
        new.replace(path)


def _serve(arguments: argparse.Namespace) -> int:
    ended = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: ended.set())
    with contextlib.ExitStack() as stack:
        log_file = None
        if arguments.log_file:
            log_file = stack.enter_context(arguments.log_file.open("a", encoding="utf-8"))
        try:
            sim = stack.enter_context(
                Simulator(
                    host=arguments.host,
                    port=arguments.port,
                    certfile=arguments.certfile,
                    keyfile=arguments.keyfile,
                    client_ca=arguments.client_ca,
                    log_file=log_file,
                    **arguments.options,
                )
            )
        except (OSError, ValueError) as error:
            print(f"the simulator cannot start: {error}", file=sys.stderr)
            return 1
        for path, text in ((arguments.pid_file, str(os.getpid())), (arguments.url_file, sim.base_url)):
            _write(path, text)
            if path:
                stack.callback(path.unlink, missing_ok=True)
        print(f"base_url={sim.base_url}", flush=True)
        if arguments.detached:
            # Whoever started us may wait for the end of our output.
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, sys.stdout.fileno())
            os.dup2(nowhere, sys.stderr.fileno())
        ended.wait()
    return 0


def _serve_in_background(argv: list[str]) -> int:
    """Start the same command as a process of its own, and wait for the line that says it serves."""
    command = [sys.executable, "-m", "simulator", *(word for word in argv if word != "--background"), "--detached"]
    package_parent = str(pathlib.Path(__file__).resolve().parents[1])
    paths = [package_parent, *filter(None, [os.environ.get("PYTHONPATH")])]
    child = subprocess.Popen(  # pylint: disable=consider-using-with  # it is meant to outlive us
        command,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        start_new_session=True,
        text=True,
    )
    assert child.stdout is not None
    line = child.stdout.readline()
    if not line:
        return child.wait()
    print(line, end="", flush=True)
    return 0


def main(argv: list[str]) -> int:
    """The command."""
    arguments = _arguments(argv)
    if arguments.background:
        return _serve_in_background(argv)
    return _serve(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
