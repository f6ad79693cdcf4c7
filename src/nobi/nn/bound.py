"""Forward passes as data: a compiled pass and its workspace, of one type for all networks.

A compiled loop that calls a function contains a copy of its machine code, which LLVM optimises again, and the type of a
workspace is part of the type of every function that it is passed to. Each loop over games would thus be recompiled for
every network and every game, including the whole network. `bind_pass` erases both: it stores the compiled
representation of the workspace in an array of bytes, and compiles a function that takes the address of such an array. A
loop calls this function through its address, which is passed at run time; that costs about 10 ns per block of boards.
Therefore a network is compiled once, and a loop once per game.
"""

import ctypes
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple, NoReturn

import numba
import numpy as np
from numba._dispatcher import compute_fingerprint
from numba.core import types
from numba.core.registry import cpu_target
from numba.extending import intrinsic
from numpy.typing import NDArray

from nobi.compiling import UNBOUND, compiled, inlined, specialise

forward: Any = UNBOUND  # this and the next are bound by `_pass_by_address`
workspace_type: Any = UNBOUND


# --- operations of LLVM that Numba does not expose -------------------------------------------------------------------


def _store_typed(typing: Any, address: Any, value: Any) -> tuple[Any, Callable[..., Any]]:  # noqa: ARG001
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = context.get_value_type(signature.args[1])
        builder.store(arguments[1], builder.inttoptr(arguments[0], kind.as_pointer()))
        return context.get_dummy_value()

    return types.void(types.int64, value), generate


def _load_typed(typing: Any, address: Any, kind: Any) -> tuple[Any, Callable[..., Any]]:  # noqa: ARG001
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = context.get_value_type(signature.return_type).as_pointer()
        return builder.load(builder.inttoptr(arguments[0], pointer))

    return kind.instance_type(types.int64, kind), generate


def _call_typed(typing: Any, code: Any, address: Any, boards: Any) -> tuple[Any, Callable[..., Any]]:  # noqa: ARG001
    kinds = (types.int64, types.int64)

    def generate(context: Any, builder: Any, _: Any, arguments: Any) -> Any:
        convention = context.call_conv
        pointer = convention.get_function_type(types.none, kinds).as_pointer()
        convention.call_function(builder, builder.inttoptr(arguments[0], pointer), types.none, kinds, arguments[1:])
        return context.get_dummy_value()

    return types.void(types.int64, *kinds), generate


_store_value: Any = intrinsic(_store_typed)  # (address, value): write a value to an address
_load: Any = intrinsic(_load_typed)  # (address, type) → the value of this type at the address
_call: Any = intrinsic(_call_typed)  # (code, address, boards): call the function of `_pass_by_address` at `code`


@compiled
def _store(address: int, value: Any) -> None:
    _store_value(address, value)


# --- bound passes ----------------------------------------------------------------------------------------------------


class BoundPass(NamedTuple):
    """The forward pass of a network with its weights; each thread needs its own."""

    x: NDArray[np.float32]  # [cell, plane, board] the inputs
    out: NDArray[np.float32]  # [cell, board] the outputs
    code: int  # the address of the compiled function (address of the workspace, boards) → None
    data: NDArray[np.uint8]  # the compiled representation of the workspace; it owns the workspace's arrays

    def __reduce__(self) -> NoReturn:
        raise TypeError("a bound pass contains addresses, which are invalid in other processes")


class _Erased(NamedTuple):
    """A pass by address, for one type of workspace."""

    code: int
    size: int  # bytes of the compiled representation of a workspace


_erased: dict[tuple[Any, bytes], _Erased] = {}


def bind_pass(function: Callable[..., None], workspace: Any) -> BoundPass:
    """Bind the compiled pass `function(workspace, boards)` to a workspace, whose arrays the result keeps alive."""
    key = function, compute_fingerprint(workspace)  # 100 times faster than `typeof`, and as precise
    erased = _erased.get(key)
    if erased is None:
        kind = numba.typeof(workspace)  # type: ignore[no-untyped-call]
        context: Any = cpu_target.target_context
        size = int(context.get_abi_sizeof(context.get_value_type(kind)))
        erased = _erased[key] = _Erased(_address_of(_pass_by_address(function, kind)), size)
    data = _owning_bytes(erased.size, workspace)
    _store(data.ctypes.data, workspace)
    return BoundPass(workspace.x, workspace.out, erased.code, data)


@inlined
def run_pass(bound: BoundPass, boards: int) -> None:
    """Compute `bound.out` from `bound.x` for this number of boards."""
    _call(bound.code, bound.data.ctypes.data, boards)


def _owning_bytes(size: int, owned: Any) -> NDArray[np.uint8]:
    """Return an array uint8[size] that keeps an object alive."""
    memory: Any = (ctypes.c_uint64 * -(-size // 8))()
    memory.owned = owned
    return np.frombuffer(memory, np.uint8)


def _run_at(address: int, boards: int) -> None:
    forward(_load(address, workspace_type), boards)


@cache
def _pass_by_address(function: Any, kind: Any) -> Any:
    """Return the compiled function (address of a workspace of this type, boards) → None."""
    bound: Any = specialise(_run_at, function.py_func.__qualname__, forward=function, workspace_type=kind)
    bound.compile((types.int64, types.int64))
    return bound


def _address_of(function: Any) -> int:
    """Return the address of the compiled code of `_pass_by_address`."""
    overload = function.overloads[types.int64, types.int64]
    return int(overload.library.get_pointer_to_function(overload.fndesc.llvm_func_name))
