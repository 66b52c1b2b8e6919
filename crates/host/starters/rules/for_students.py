"""Prints the rules of a game as students get them: JSON with the texts of the file that is named and of those
that it imports from its folder. The judgment of the instructor is left out: methods called `score`, and the
lines from `# not for students` to `# for students`. An import that nothing else needs is left out, too.
"""

import ast
import json
import sys
from pathlib import Path

BEGIN, END = "# not for students", "# for students"
# The kit has this file as it is.
CLASS = "rules"


def indent(row):
    return len(row) - len(row.lstrip())


def without(source, lines):
    """The source without lines, the comments right above them, and the blank lines before these."""
    rows = source.splitlines(keepends=True)
    for at in range(len(rows) - 1, 0, -1):
        row, below = rows[at - 1], rows[at]
        if at + 1 in lines and row.lstrip().startswith("#") and indent(row) == indent(below):
            lines = lines | {at}
    kept = []
    for number, row in enumerate(rows, 1):
        if number not in lines:
            kept.append(row)
        elif number - 1 not in lines:
            while kept and not kept[-1].strip():
                kept.pop()
    return "".join(kept)


def span(node):
    decorators = [decorator.lineno for decorator in getattr(node, "decorator_list", [])]
    return set(range(min([node.lineno, *decorators]), node.end_lineno + 1))


def marked(source):
    """The numbers of the lines between the marks, with the marks."""
    lines, is_inside = set(), False
    for number, row in enumerate(source.splitlines(), 1):
        if row.strip() == BEGIN:
            is_inside = True
        if is_inside:
            lines.add(number)
        if row.strip() == END:
            is_inside = False
            lines.add(number)
    return lines


def judgments(tree):
    """The numbers of the lines of all methods called `score`."""
    lines = set()
    for found in ast.walk(tree):
        for part in found.body if isinstance(found, ast.ClassDef) else []:
            targets = part.targets if isinstance(part, ast.Assign) else []
            names = [target.id for target in targets if isinstance(target, ast.Name)]
            if getattr(part, "name", None) == "score" or "score" in names:
                lines |= span(part)
    return lines


def for_students(path, files):
    """Adds a file, and those that it imports from its folder."""
    source = path.read_text(encoding="utf-8")
    source = without(source, marked(source))
    source = without(source, judgments(ast.parse(source)))
    tree = ast.parse(source)
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    unneeded, needed = set(), []
    for node in tree.body:
        if not isinstance(node, (ast.Import, ast.ImportFrom)):
            continue
        modules = [node.module] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
        own = [path.with_name(f"{module}.py") for module in modules if module and module != CLASS]
        own = [file for file in own if file.is_file()]
        names = {alias.asname or alias.name.partition(".")[0] for alias in node.names}
        if own and not names & (used | {"*"}):
            unneeded |= span(node)
        else:
            needed += own
    files[path.name] = without(source, unneeded)
    for file in needed:
        if file.name not in files:
            for_students(file, files)


FILES = {}
for_students(Path(sys.argv[1]), FILES)
json.dump(FILES, sys.stdout)
