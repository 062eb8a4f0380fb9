"""Tables for the terminal and for documents."""

import math


def geometric_mean(numbers):
    """The geometric mean, or None where there is nothing to take it of."""
    numbers = list(numbers)
    if not numbers:
        return None
    return math.exp(sum(math.log(number) for number in numbers) / len(numbers))


def number(value):
    """Three digits that say something."""
    if value is None:
        return ""
    if value >= 100:
        return f"{value:.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


class Table:
    """A title, a header, rows of words, and remarks under them. A cell that does not matter is empty."""

    def __init__(self, title, header):
        self.title = title
        self.header = header
        self.rows = []
        self.remarks = []

    def markdown(self):
        """As a document has it: the first column to the left, the others to the right."""
        ruler = ["---"] + ["---:"] * (len(self.header) - 1)
        lines = [f"### {self.title}", ""]
        for row in [self.header, ruler] + self.rows:
            lines.append("| " + " | ".join(str(cell).replace("|", "\\|") for cell in row) + " |")
        if self.remarks:
            lines.append("")
            lines += [f"- {remark}" for remark in self.remarks]
        return "\n".join(lines) + "\n"

    def text(self):
        """As a terminal has it."""
        rows = [[str(cell) for cell in row] for row in [self.header] + self.rows]
        widths = [max(len(row[column]) for row in rows) for column in range(len(self.header))]
        lines = [self.title]
        for row in rows:
            cells = [cell.ljust(width) if column == 0 else cell.rjust(width) for column, (cell, width) in enumerate(zip(row, widths))]
            lines.append("  ".join(cells).rstrip())
        lines += [f"  {remark}" for remark in self.remarks]
        return "\n".join(lines) + "\n"
