"""Code of what kernels do most: count in loops, and read and write elements of arrays.

Numba keeps variables, iterators and arrays in memory, from which LLVM takes them out again. Here
they are plain values: a third of the code that LLVM has to read. All else is Numba's.
"""

from __future__ import annotations

from functools import reduce
from typing import Any

from llvmlite.ir import Constant, IntType
from numba import types
from numba.core import analysis as typed_analysis
from numba.core import cgutils as typed_cgutils
from numba.core import ir_utils as typed_ir_utils
from numba.core.compiler_machinery import register_pass
from numba.core.imputils import impl_ret_borrowed
from numba.core.ir import Assign
from numba.core.lowering import Lower as TypedLower
from numba.core.typed_passes import NativeLowering
from numba.np import arrayobj as typed_arrayobj

# Their annotations are incomplete.
Lower: Any = TypedLower
analysis: Any = typed_analysis
arrayobj: Any = typed_arrayobj
cgutils: Any = typed_cgutils
ir_utils: Any = typed_ir_utils

WORD, WORD_TYPE = IntType(64), types.int64
ONE = Constant(WORD, 1)
# Places of the fields of an array.
DATA, SHAPE = 4, 5


class KernelLower(Lower):  # type: ignore[misc]
    """Numba's code generator, for functions that are no generators."""

    def setup_function(self, fndesc: Any) -> None:
        """Declare the function, whose code may be small."""
        super().setup_function(fndesc)
        if self.library.is_small:
            self.function.attributes.add("optsize")

    def _find_singly_assigned_variable(self) -> None:
        """Find the variables that need no memory: one assignment comes before all uses."""
        super()._find_singly_assigned_variable()
        blocks = self.func_ir.blocks
        dominators = analysis.compute_cfg_from_blocks(blocks).dominators()
        places: dict[str, list[int]] = {}
        for label, block in blocks.items():
            for each in block.find_insts(Assign):
                places.setdefault(each.target.name, []).append(label)
        # Blocks are written in the order of their labels.
        late = {
            name
            for label, names in analysis.compute_use_defs(blocks).usemap.items()
            for name in names
            for at in places.get(name, ())
            if at >= label or at not in dominators[label]
        }
        for name, at in places.items():
            if len(at) == 1 and name not in late and not self._is_counted(name):
                self._singly_assigned_vars.add(name)

    def _is_counted(self, name: str) -> bool:
        """Return whether references to a variable are counted."""
        model = self.context.data_model_manager[self.typeof(name)]
        return bool(self.context.enable_nrt and model.contains_nrt_meminfo())

    def storevar(self, value: Any, name: str, argidx: int | None = None) -> None:
        """Store a variable; its old value matters only if it is counted."""
        if name in self._singly_assigned_vars or self._is_counted(name):
            super().storevar(value, name, argidx)
        else:
            self._alloca_var(name, self.typeof(name))
            self.builder.store(value, self.getvar(name))

    def delvar(self, name: str) -> None:
        """Delete a variable, for which there is nothing to do unless it is counted."""
        if self._is_counted(name):
            super().delvar(name)

    def lower_expr(self, resty: Any, expr: Any) -> Any:
        """Write the code of ranges, of their iterators, and of shapes."""
        builder, op = self.builder, expr.op
        if op == "getattr" and expr.attr == "shape":
            value, kind = self._typed(expr.value)
            if isinstance(kind, types.Array):
                return builder.extract_value(value, SHAPE)
        if op == "call" and self._is_plain_range(expr):
            limits = [
                self.context.cast(builder, *self._typed(each), WORD_TYPE) for each in expr.args
            ]
            return self._structure(resty, *[Constant(WORD, 0), *limits][-2:], ONE)
        if op == "getiter" and self._is_plain_range(self._definition_of(expr.value)):
            start, stop, step = self._parts(expr.value, 3)
            at, left = cgutils.alloca_once(builder, WORD), cgutils.alloca_once(builder, WORD)
            builder.store(start, at)
            builder.store(builder.sub(stop, start), left)
            return self._structure(resty, at, stop, step, left)
        if op == "iternext" and self.typeof(expr.value.name) == types.range_iter64_type:
            at, _, step, left = self._parts(expr.value, 4)
            place, count = builder.load(at), builder.load(left)
            builder.store(builder.add(place, step), at)
            builder.store(builder.sub(count, ONE, flags=["nsw"]), left)
            is_valid = builder.icmp_signed(">", count, Constant(WORD, 0))
            return self._structure(resty, place, is_valid)
        if op in ("pair_first", "pair_second") and not self._is_counted(expr.value.name):
            return self._parts(expr.value, 2)[op == "pair_second"]
        return super().lower_expr(resty, expr)

    def _definition_of(self, variable: Any) -> Any:
        return ir_utils.guard(ir_utils.get_definition, self.func_ir, variable)

    def _is_plain_range(self, call: Any) -> bool:
        """Return whether an expression is a range of integers of step 1."""
        if getattr(call, "op", "") != "call" or len(call.args) > 2:
            return False
        function = self.typeof(call.func.name)
        if not isinstance(function, types.Function) or function.typing_key is not range:
            return False
        return bool(self.fndesc.calltypes[call].return_type == types.range_state64_type)

    def lower_getitem(self, resty: Any, expr: Any, value: Any, index: Any, signature: Any) -> Any:
        """Read an element of a contiguous array, or take the part at leading indices."""
        kind, of_index = self.typeof(value.name), self.typeof(index.name)
        is_vector = getattr(kind, "layout", "") == "C" and kind.ndim == 1
        if is_vector and of_index == types.slice2_type and resty == kind:
            return self._part(value, kind, *self._ends(value, index))
        address = self._address_of(value, index)
        if address is None:
            return super().lower_getitem(resty, expr, value, index, signature)
        if isinstance(resty, types.Array):
            shape = self.builder.extract_value(self.loadvar(value.name), SHAPE)
            lengths = cgutils.unpack_tuple(self.builder, shape, kind.ndim)
            return self._part(value, resty, address, lengths[-resty.ndim :])
        return arrayobj.load_item(self.context, self.builder, kind, address)

    def _part(self, array: Any, kind: Any, address: Any, lengths: list[Any]) -> Any:
        """Return the part of a contiguous array from an address on, its last axes or a vector's."""
        builder = self.builder
        meminfo, parent, _, itemsize, _, _, strides = self._parts(array, 7)
        n_axes = self.typeof(array.name).ndim
        kept = cgutils.unpack_tuple(builder, strides, n_axes)[-kind.ndim :]
        shape, strides = (cgutils.pack_array(builder, each, WORD) for each in (lengths, kept))
        size = reduce(builder.mul, lengths)
        part = self._structure(kind, meminfo, parent, size, itemsize, address, shape, strides)
        return impl_ret_borrowed(self.context, builder, kind, part)  # type: ignore[no-untyped-call]

    def _ends(self, vector: Any, index: Any) -> tuple[Any, list[Any]]:
        """Return the address and the length of a slice, whose ends may count from the end."""
        builder, zero = self.builder, Constant(WORD, 0)
        _, _, length, _, data, _, _ = self._parts(vector, 7)
        ends = []
        for end in self._parts(index, 3)[:2]:
            from_end = builder.add(end, length)
            place = builder.select(builder.icmp_signed("<", end, zero), from_end, end)
            place = builder.select(builder.icmp_signed("<", place, zero), zero, place)
            is_beyond = builder.icmp_signed(">", place, length)
            ends.append(builder.select(is_beyond, length, place))
        size = builder.sub(ends[1], ends[0])
        size = builder.select(builder.icmp_signed("<", size, zero), zero, size)
        return builder.gep(data, ends[:1]), [size]

    def lower_setitem(self, target: Any, index: Any, value: Any, signature: Any) -> Any:
        """Write an element of a contiguous array."""
        kind, of_index = self.typeof(target.name), self.typeof(index.name)
        is_element = getattr(kind, "ndim", 0) == getattr(of_index, "count", 1)
        address = self._address_of(target, index) if is_element else None
        if address is None:
            return super().lower_setitem(target, index, value, signature)
        number = self.context.cast(self.builder, *self._typed(value), kind.dtype)
        return arrayobj.store_item(self.context, self.builder, kind, number, address)

    def _address_of(self, array: Any, index: Any) -> Any:
        """Return the address of what leading indices of a contiguous array select, or None."""
        kind, of_index = self.typeof(array.name), self.typeof(index.name)
        if getattr(kind, "layout", "") != "C" or self.context.enable_boundscheck:
            return None
        is_tuple = isinstance(of_index, types.BaseTuple)
        kinds = list(of_index) if is_tuple else [of_index]
        is_leading = 0 < len(kinds) <= kind.ndim
        if not (is_leading and all(isinstance(each, types.Integer) for each in kinds)):
            return None
        builder, parts = self.builder, self.loadvar(array.name)
        places = self._parts(index, len(kinds)) if is_tuple else [self.loadvar(index.name)]
        offset = Constant(WORD, 0)
        lengths = cgutils.unpack_tuple(builder, builder.extract_value(parts, SHAPE), kind.ndim)
        for k, length in enumerate(lengths):
            if k > 0:
                offset = builder.mul(offset, length)
            if k < len(kinds):
                # From the end if it is negative.
                place = arrayobj.fix_integer_index(
                    self.context, builder, kinds[k], places[k], length
                )
                offset = builder.add(offset, place) if k > 0 else place
        return builder.gep(builder.extract_value(parts, DATA), [offset])

    def _typed(self, variable: Any) -> tuple[Any, Any]:
        return self.loadvar(variable.name), self.typeof(variable.name)

    def _parts(self, variable: Any, count: int) -> Any:
        return cgutils.unpack_tuple(self.builder, self.loadvar(variable.name), count)

    def _structure(self, kind: Any, *parts: Any) -> Any:
        of = self.context.get_value_type(kind)
        return cgutils.make_anonymous_struct(self.builder, parts, of)


@register_pass(mutates_CFG=True, analysis_only=False)  # type: ignore[no-untyped-call]
class KernelLowering(NativeLowering):
    """Numba's pass with the code generator above."""

    _name = "kernel_lowering"

    @property
    def lowering_class(self) -> Any:
        """Return the code generator."""
        return KernelLower
