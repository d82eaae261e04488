"""What stands in a notebook in place of a solution: the names that its check asks for, empty, and the check."""

from __future__ import annotations

import ast

from nbformat.v4 import new_code_cell


def empty_answer(check: str, solution: str):
    """Return a cell with what a check asks for, still empty; a function shows what it takes, and its docstring."""
    functions = {node.name: node for node in ast.parse(solution).body if isinstance(node, ast.FunctionDef)}
    asked = [name.id for name in ast.parse(check).body[0].value.args[1:]]
    return new_code_cell("\n\n\n".join(_empty(name, functions) for name in asked))


def graded_check(check: str, label: str, points: int):
    """Return the check as a cell that nbgrader grades: it ends in the points that the answer has earned."""
    graded = {"grade": True, "solution": False, "task": False, "locked": True, "schema_version": 3}
    graded |= {"grade_id": label, "points": points, "cell_type": "code"}
    return new_code_cell(f'{check}\n{points} * check.right["{label}"]', metadata={"nbgrader": graded})


def _empty(name, functions):
    """Return the code of an answer that is not there yet."""
    if name not in functions:
        return f"{name} = ..."
    function = functions[name]
    docstring = function.body[:1] if ast.get_docstring(function) else []
    function.body = [*docstring, ast.Return(ast.Constant(...))]
    return ast.unparse(function)
