"""The three indivisible operations by which searching threads keep out of each other's way.

Numba has none for the CPU; these become single instructions of the processor, and no compiler moves other loads or
stores across them.
"""

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.core import types
from numba.core.cgutils import get_item_pointer
from numba.extending import intrinsic
from numba.np.arrayobj import make_array

_ORDER = "seq_cst"


def _pointer(context: Any, builder: Any, kind: Any, array: Any, index: Any) -> Any:
    where = builder.trunc(index, ir.IntType(64)) if index.type.width > 64 else index
    if where.type.width < 64:
        where = builder.zext(where, ir.IntType(64))
    inside: Any = make_array(kind)(context, builder, array)  # type: ignore[no-untyped-call]
    return get_item_pointer(context, builder, kind, inside, [where])  # type: ignore[no-untyped-call]


def _cast(context: Any, builder: Any, value: Any, kind: Any, wanted: Any) -> Any:
    return context.cast(builder, value, kind, wanted)


def _fetch_add(typing: Any, array: Any, index: Any, amount: Any) -> tuple[Any, Callable[..., Any]]:  # noqa: ARG001
    """array[index] += amount; returns what was there before. For arrays of whole numbers."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind, _, given = signature.args
        value = _cast(context, builder, arguments[2], given, kind.dtype)
        return builder.atomic_rmw("add", _pointer(context, builder, kind, *arguments[:2]), value, _ORDER)

    return array.dtype(array, index, amount), generate


def _exchange(typing: Any, array: Any, index: Any, value: Any) -> tuple[Any, Callable[..., Any]]:  # noqa: ARG001
    """array[index] = value, after all that was written before; returns what was there. For whole numbers."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind, _, given = signature.args
        new = _cast(context, builder, arguments[2], given, kind.dtype)
        return builder.atomic_rmw("xchg", _pointer(context, builder, kind, *arguments[:2]), new, _ORDER)

    return array.dtype(array, index, value), generate


def _replace_if(typing: Any, array: Any, index: Any, expected: Any, value: Any) -> tuple[Any, Callable[..., Any]]:  # noqa: ARG001
    """array[index] = value if it is `expected`; returns whether it was. For arrays of whole numbers."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind, _, of_expected, of_value = signature.args
        old = _cast(context, builder, arguments[2], of_expected, kind.dtype)
        new = _cast(context, builder, arguments[3], of_value, kind.dtype)
        where = _pointer(context, builder, kind, *arguments[:2])
        return builder.extract_value(builder.cmpxchg(where, old, new, _ORDER, _ORDER), 1)

    return types.boolean(array, index, expected, value), generate


# Numba's decorator hides the signature: in compiled code each takes the arguments but the first
fetch_add: Any = intrinsic(_fetch_add)
exchange: Any = intrinsic(_exchange)
replace_if: Any = intrinsic(_replace_if)
