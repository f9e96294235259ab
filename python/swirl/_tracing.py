"""Load and store callbacks written as functions of Python: traced once to swirl's expressions.

    swirl.problem("dft", 1024, load=lambda x, i, window: x * window[i], store=lambda x, i: (0.5 * x).where(i < 700))

The parameters' names say what they are: `x` is the element, `i`, `i0`, `j`, `b`, `b1` and so on are indices, all others are arrays that
executions take by name."""

import inspect
import numbers
import re

import numpy as np

_INDEX = re.compile(r"[ijb]\d*$")
_FUNCTIONS = {np.exp: "exp", np.tanh: "tanh", np.sqrt: "sqrt", np.absolute: "abs", np.conjugate: "conj", np.minimum: "min",
              np.maximum: "max"}
_OPERATORS = {np.add: "+", np.subtract: "-", np.multiply: "*", np.divide: "/", np.less: "<", np.less_equal: "<=", np.greater: ">",
              np.greater_equal: ">=", np.equal: "==", np.not_equal: "!="}


def expression(callback):
    """The text of an expression: of a function, traced, or of text itself.

    Raises:
        TypeError: The function has no parameter `x`, or returns no expression.
    """
    if callback is None or isinstance(callback, str):
        return callback
    parameters = list(inspect.signature(callback).parameters)
    if "x" not in parameters:
        raise TypeError("a callback has a parameter x, the element")
    result = callback(*(Term(name) if name == "x" or _INDEX.match(name) else Array(name) for name in parameters))
    if not isinstance(result, (Term, numbers.Number)):
        raise TypeError(f"a callback returns an expression of x, but this one returns {result!r}")
    return _text(result).removeprefix("(").removesuffix(")") if isinstance(result, Where) else _text(result)


def where(condition, a, b):
    """a where the condition holds, else b, in a callback."""
    return Term(f"({_text(condition)} ? {_text(a)} : {_text(b)})")


def _text(value):
    if isinstance(value, Term):
        return value.text
    if isinstance(value, numbers.Real):
        text = repr(float(value)) if not isinstance(value, numbers.Integral) else str(int(value))
        return text if value >= 0 else f"({text})"
    if isinstance(value, numbers.Complex):
        return f"complex({_text(value.real)}, {_text(value.imag)})"
    raise TypeError(f"{value!r} means nothing in a callback: arrays are parameters of it, given by name at execution")


class Term:
    """An expression in a callback: arithmetic, comparisons, `&`, `|` and `~`, NumPy's exp, tanh, sqrt, abs, conj, minimum and
    maximum."""

    __hash__ = None

    def __init__(self, text):
        self.text = text

    def conj(self):
        return Term(f"conj({self.text})")

    @property
    def real(self):
        return Term(f"re({self.text})")

    @property
    def imag(self):
        return Term(f"im({self.text})")

    def where(self, condition):
        """Elsewhere elements are not loaded, and 0 is transformed, or not stored. The last operation of a callback."""
        return Where(f"({self.text} where {_text(condition).removeprefix('(').removesuffix(')')})")

    def __array_ufunc__(self, ufunc, method, *operands, **options):
        if method != "__call__" or options:
            return NotImplemented
        if ufunc in _OPERATORS:
            return Term(f"({_text(operands[0])} {_OPERATORS[ufunc]} {_text(operands[1])})")
        if ufunc in _FUNCTIONS:
            return Term(f"{_FUNCTIONS[ufunc]}({', '.join(map(_text, operands))})")
        return NotImplemented

    def __neg__(self):
        return Term(f"(-{self.text})")

    def __abs__(self):
        return Term(f"abs({self.text})")

    def __invert__(self):
        return Term(f"(not {self.text})")

    def __bool__(self):
        raise TypeError("a callback is traced once: use swirl.where(condition, a, b) instead of a choice of Python")


class Where(Term):
    pass


class Array:
    """An array that an execution takes by name: real, or complex as `.complex`."""

    def __init__(self, name, prefix=""):
        self.name, self.prefix = name, prefix

    @property
    def complex(self):
        return Array(self.name, "complex ")

    def __getitem__(self, indices):
        indices = indices if isinstance(indices, tuple) else (indices,)
        return Term(f"{self.prefix}{self.name}[{', '.join(_text(index) for index in indices)}]")


def _operator(symbol, is_reflected=False):
    def apply(self, other):
        if not isinstance(other, (Term, numbers.Number)):
            return NotImplemented
        a, b = (other, self) if is_reflected else (self, other)
        return Term(f"({_text(a)} {symbol} {_text(b)})")

    return apply


for _name, _symbol in (("add", "+"), ("sub", "-"), ("mul", "*"), ("truediv", "/")):
    setattr(Term, f"__{_name}__", _operator(_symbol))
    setattr(Term, f"__r{_name}__", _operator(_symbol, True))
for _name, _symbol in (("lt", "<"), ("le", "<="), ("gt", ">"), ("ge", ">="), ("eq", "=="), ("ne", "!="), ("and", "and"), ("or", "or")):
    setattr(Term, f"__{_name}__", _operator(_symbol))
