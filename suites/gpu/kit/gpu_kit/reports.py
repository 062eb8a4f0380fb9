"""Reports of warpsan in JSON, as docs/report.md describes them."""

import json

ENDED_WITH_CODE = "the program ended with code "
ENDED_BY_SIGNAL = "the program was ended by signal "


class NoReport(Exception):
    """There is no report, or it cannot be read."""


def read(path):
    """The report in a file."""
    try:
        with open(path, encoding="utf-8") as file:
            report = json.load(file)
    except (OSError, ValueError) as error:
        raise NoReport(f"no report: {error}") from error
    if not isinstance(report, dict) or "races" not in report or "summary" not in report:
        raise NoReport("the report is not one of warpsan's")
    return report


def own_code(report):
    """The exit code of the program itself, which warpsan may have changed for its verdict."""
    words = report["summary"].get("program") or ""
    for start, base in ((ENDED_WITH_CODE, 0), (ENDED_BY_SIGNAL, 128)):
        if words.startswith(start):
            number = words[len(start):].split()[0].rstrip(".,;:")
            return base + int(number)
    return 0


def place(access):
    """The line of one side of a race; its PTX instruction where there is no line."""
    position = access.get("position")
    if position is None:
        return f"{access.get('instruction', '?')} at PTX line {access.get('ptx_line', '?')}"
    return f"{position['file'].rsplit('/', 1)[-1]}:{position['line']}"


def races(report):
    """The races as a set: kind, kernel, and both lines in no order, since which side came first is chance."""
    found = set()
    for race in report["races"]:
        lines = tuple(sorted((place(race["first"]), place(race["second"]))))
        found.add((race["kind"], race["kernel"], lines))
    return found


def describe(race):
    """A race on one line."""
    kind, kernel, lines = race
    return f"{kind} in {kernel}: {lines[0]} and {lines[1]}"


def not_covered(report):
    """What was not checked, on one line each."""
    return [f"{entry['what']} ({entry['where']})" for entry in report.get("not_covered", [])]
