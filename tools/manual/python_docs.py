"""The page of all public names of the Python package: signatures and docstrings, read without importing it."""

import ast

MODULES = {  # name, and the files that may define its functions
    "swirl": ["__init__.py", "_convolution.py", "_spectrogram.py", "_tracing.py"],
    "swirl.fft": ["fft.py", "_hankel.py"],
    "swirl.torch": ["torch/*.py"],
    "swirl.jax": ["jax/*.py"],
}


def definitions(package, pattern):
    """Functions and classes of files, by name."""
    found = {}
    for file in sorted(package.glob(pattern)):
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                found[node.name] = node
    return found


def public_names(package, module):
    """The names in __all__ of the module's stub or source."""
    path = module.removeprefix("swirl").lstrip(".").replace(".", "/")
    for candidate in (f"{path}/__init__.pyi", f"{path}.pyi", f"{path}/__init__.py", f"{path}.py"):
        file = package / candidate.lstrip("/")
        if not file.exists() or candidate.startswith("."):
            continue
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
                return ast.literal_eval(node.value)
    raise ValueError(f"{module} has no __all__")


def signature(node):
    result = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    arguments = ast.unparse(node.args)
    if len(arguments) > 90:  # one argument a line
        parts, depth, start = [], 0, 0
        for i, letter in enumerate(arguments):
            depth += (letter in "([") - (letter in ")]")
            if letter == "," and depth == 0:
                parts.append(arguments[start:i].strip())
                start = i + 1
        parts.append(arguments[start:].strip())
        arguments = "\n    " + ",\n    ".join(parts) + ",\n"
    return f"{node.name}({arguments}){result}"


def section(name, sources, stubs):
    source, stub = sources.get(name), stubs.get(name)
    text = ast.get_docstring(source) if source else None
    shown = stub or source
    out = [f"### `{name}`\n"]
    if isinstance(shown, ast.FunctionDef):
        out.append(f"```python\n{signature(shown)}\n```\n")
    elif isinstance(shown, ast.ClassDef):
        lines = [f"class {name}" + (f"({', '.join(map(ast.unparse, shown.bases))})" if shown.bases else "")]
        for node in shown.body:
            if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
                is_property = any(ast.unparse(d) == "property" for d in node.decorator_list)
                lines.append(f"{node.name}: {ast.unparse(node.returns)}" if is_property else signature(node))
        out.append("```python\n" + "\n".join(lines) + "\n```\n")
    if text:
        out.append(text + "\n")
    return "\n".join(out)


def page(package):
    out = ["# Python functions\n\nAll public names, from the package's docstrings. The text about them: [the Python interface](../python.md).\n"]
    for module, files in MODULES.items():
        sources, stubs = {}, {}
        for pattern in files:
            sources |= definitions(package, pattern)
            stubs |= definitions(package, pattern + "i")
        if module == "swirl":
            stubs |= definitions(package, "_core.pyi")
        out.append(f"## {module}\n")
        names = [name for name in public_names(package, module) if name in sources or name in stubs]
        out += [section(name, sources, stubs) for name in names]
    return "\n".join(out)
