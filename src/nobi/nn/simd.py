"""Explicit vectors of float32 for compiled code: a Numba type, its arithmetic, loads, stores and one matrix kernel.

LLVM keeps such vectors in registers without constant strides or alias checks, so that one compiled function is enough
for all board sizes and channel counts. Arrays are flat and addressed by offset; accesses are NOT checked, so callers
check the lengths of all arrays first (`winograd.check_lengths`).

Products and sums may be contracted to fused multiply-adds; sums keep their order, so that the result depends only on
the processor's instruction set.
"""

import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import extending
from numba.core import types

from nobi.compiling import has_feature

PANEL = 16
"""Columns of a panel of the matrix kernel; channel counts are multiples of it."""
LANES = 16 if has_feature("avx512f") else 8 if has_feature("avx2") else 4
"""Numbers in a vector: the width of the processor's registers."""
ROWS = 12 if has_feature("avx512f") else 6 if has_feature("avx2") else 2
"""Rows of the matrix kernel: its accumulators, ROWS x PANEL numbers, use most registers."""

_FLOAT = ir.FloatType()
_VECTOR = ir.VectorType(_FLOAT, LANES)
_PANEL = ir.VectorType(_FLOAT, PANEL)
_INT = ir.IntType(64)
_CONTRACT = ("contract", "nsz", "nnan")

_Decorator = Callable[[Callable[..., Any]], Any]
intrinsic: _Decorator = extending.intrinsic
overload: Callable[..., _Decorator] = extending.overload
_Emit = Callable[[Any, Any, Any, Any], Any]


class VectorType(types.Type):
    """LANES numbers of float32."""

    def __init__(self) -> None:
        super().__init__(name=f"Vector{LANES}")


vector = VectorType()


@extending.register_model(VectorType)
class _VectorModel(extending.models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, _VECTOR)  # type: ignore[no-untyped-call]


def _arithmetic(symbol: Any, instruction: str) -> None:
    """Define `symbol` (+, − or ·) for two vectors."""

    @intrinsic
    def emit_instruction(_: Any, a: Any, b: Any) -> tuple[Any, _Emit]:
        def emit(__: Any, builder: Any, ___: Any, args: Any) -> Any:
            return getattr(builder, instruction)(*args, flags=_CONTRACT)

        return vector(a, b), emit

    @overload(symbol, jit_options={"forceinline": True, "_nrt": False})
    def operate(a: Any, b: Any) -> Any:
        if not (isinstance(a, VectorType) and isinstance(b, VectorType)):
            return None

        def implementation(a: Any, b: Any) -> Any:
            return emit_instruction(a, b)

        return implementation


_arithmetic(operator.add, "fadd")
_arithmetic(operator.sub, "fsub")
_arithmetic(operator.mul, "fmul")


def _int(value: int) -> Any:
    return ir.Constant(_INT, value)


def _broadcast(builder: Any, value: Any, kind: Any) -> Any:
    undefined = ir.Constant(kind, ir.Undefined)
    first = builder.insert_element(undefined, value, ir.IntType(32)(0))
    zeros = ir.Constant(ir.VectorType(ir.IntType(32), kind.count), [0] * kind.count)
    return builder.shuffle_vector(first, undefined, zeros)


def _address(context: Any, builder: Any, array_type: Any, array: Any, offset: Any, kind: Any) -> Any:
    pointer = builder.gep(context.make_array(array_type)(context, builder, array).data, [offset])
    return pointer if kind is _FLOAT else builder.bitcast(pointer, kind.as_pointer())


@intrinsic
def load(_: Any, array: Any, offset: Any) -> tuple[Any, _Emit]:
    """Return the vector array[offset : offset + LANES]."""

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.load(_address(context, builder, signature.args[0], args[0], args[1], _VECTOR), align=4)

    return vector(array, types.intp), emit


@intrinsic
def store(_: Any, array: Any, offset: Any, value: Any) -> tuple[Any, _Emit]:
    """Set array[offset : offset + LANES] = value."""

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        builder.store(args[2], _address(context, builder, signature.args[0], args[0], args[1], _VECTOR), align=4)
        return context.get_dummy_value()

    return types.void(array, types.intp, vector), emit


@intrinsic
def splat(_: Any, value: Any) -> tuple[Any, _Emit]:
    """Return the vector with all lanes equal to a float32."""

    def emit(__: Any, builder: Any, ___: Any, args: Any) -> Any:
        return _broadcast(builder, args[0], _VECTOR)

    return vector(types.float32), emit


@intrinsic
def where_larger(_: Any, a: Any, b: Any, x: Any, y: Any) -> tuple[Any, _Emit]:
    """Return x where a > b, else y, for each lane."""

    def emit(__: Any, builder: Any, ___: Any, args: Any) -> Any:
        return builder.select(builder.fcmp_ordered(">", *args[:2]), *args[2:])

    return vector(vector, vector, vector, vector), emit


@intrinsic
def multiply_panel(
    _: Any, rows: Any, accumulate: Any, a: Any, ia: Any, ra: Any, ka: Any, b: Any, ib: Any, kb: Any, c: Any, ic: Any,
    rc: Any, n: Any,
) -> Any:  # fmt: skip
    """Compute c[r, :] (+)= Σ_k a[r, k] · b[k, :] for `rows` rows and PANEL columns, with all sums in registers.

    a[r, k] is a[ia + r·ra + k·ka], b[k, :] begins at b[ib + k·kb], c[r, :] at c[ic + r·rc], and k counts from 0 to
    n − 1 (n ≥ 1). `rows` and `accumulate` are literals. LLVM splits vectors of PANEL numbers into the processor's
    registers: two with AVX2, one with AVX-512.
    """
    del ia, ra, ka, ib, kb, ic, rc, n
    if not isinstance(rows, types.IntegerLiteral) or not isinstance(accumulate, types.IntegerLiteral):
        return None
    count, accumulates = rows.literal_value, bool(accumulate.literal_value)
    size = types.intp

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        _, _, a, ia, ra, ka, b, ib, kb, c, ic, rc, n = args
        targets = [
            _address(context, builder, signature.args[9], c, builder.add(ic, builder.mul(rc, _int(r))), _PANEL)
            for r in range(count)
        ]
        zero = ir.Constant(_PANEL, [0.0] * PANEL)
        first_sums = [builder.load(target, align=4) if accumulates else zero for target in targets]
        first_a = _address(context, builder, signature.args[2], a, ia, _FLOAT)
        first_b = _address(context, builder, signature.args[6], b, ib, _FLOAT)
        row_offsets = [builder.mul(ra, _int(r)) for r in range(count)]
        entry = builder.block
        body, end = builder.append_basic_block("k"), builder.append_basic_block("end")
        builder.branch(body)
        builder.position_at_end(body)
        k, at_a, at_b = builder.phi(_INT), builder.phi(first_a.type), builder.phi(first_b.type)
        sums = [builder.phi(_PANEL) for _ in range(count)]
        row_of_b = builder.load(builder.bitcast(at_b, _PANEL.as_pointer()), align=4)
        next_sums = []
        for r in range(count):
            factor = _broadcast(builder, builder.load(builder.gep(at_a, [row_offsets[r]])), _PANEL)
            product = builder.fmul(factor, row_of_b, flags=_CONTRACT)
            next_sums.append(builder.fadd(product, sums[r], flags=_CONTRACT))
        next_k, next_a, next_b = builder.add(k, _int(1)), builder.gep(at_a, [ka]), builder.gep(at_b, [kb])
        builder.cbranch(builder.icmp_signed("<", next_k, n), body, end)
        loop = [(k, _int(0), next_k), (at_a, first_a, next_a), (at_b, first_b, next_b)]
        for phi, before, after in [*loop, *zip(sums, first_sums, next_sums, strict=True)]:
            phi.add_incoming(before, entry)
            phi.add_incoming(after, body)
        builder.position_at_end(end)
        for target, total in zip(targets, next_sums, strict=True):
            builder.store(total, target, align=4)
        return context.get_dummy_value()

    return types.void(rows, accumulate, a, size, size, size, b, size, size, c, size, size, size), emit
