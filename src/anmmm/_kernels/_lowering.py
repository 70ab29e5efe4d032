"""Short code of what kernels have most of: variables, and elements of contiguous arrays.

Numba keeps variables in memory, copies the structure of an array for each element, and LLVM takes
all this out again: a tenth of the time that kernels compile. All else is Numba's.
"""

from __future__ import annotations

from typing import Any

from llvmlite.ir import Constant, IntType
from numba import types
from numba.core import analysis as typed_analysis
from numba.core import cgutils as typed_cgutils
from numba.core.compiler_machinery import register_pass
from numba.core.ir import Assign
from numba.core.lowering import Lower as TypedLower
from numba.core.typed_passes import NativeLowering
from numba.np import arrayobj as typed_arrayobj

# Their annotations are incomplete.
Lower: Any = TypedLower
arrayobj: Any = typed_arrayobj
analysis: Any = typed_analysis
cgutils: Any = typed_cgutils

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

    def lower_getitem(self, resty: Any, expr: Any, value: Any, index: Any, signature: Any) -> Any:
        """Read an element of a contiguous array."""
        address = self._address_of(value, index)
        if address is None:
            return super().lower_getitem(resty, expr, value, index, signature)
        return arrayobj.load_item(self.context, self.builder, self.typeof(value.name), address)

    def lower_setitem(self, target: Any, index: Any, value: Any, signature: Any) -> Any:
        """Write an element of a contiguous array."""
        address = self._address_of(target, index)
        if address is None:
            return super().lower_setitem(target, index, value, signature)
        kind, of_value = self.typeof(target.name), self.typeof(value.name)
        number = self.context.cast(self.builder, self.loadvar(value.name), of_value, kind.dtype)
        return arrayobj.store_item(self.context, self.builder, kind, number, address)

    def _address_of(self, array: Any, index: Any) -> Any:
        """Return the address of an element, or None if an index selects something else."""
        builder, kind, of_index = self.builder, self.typeof(array.name), self.typeof(index.name)
        is_tuple = isinstance(of_index, types.BaseTuple)
        kinds = list(of_index) if is_tuple else [of_index]
        is_element = getattr(kind, "ndim", 0) == len(kinds)
        is_element &= all(isinstance(each, types.Integer) for each in kinds)
        if not is_element or kind.layout != "C" or self.context.enable_boundscheck:
            return None
        parts, places = self.loadvar(array.name), [self.loadvar(index.name)]
        if is_tuple:
            places = cgutils.unpack_tuple(builder, *places)
        lengths = cgutils.unpack_tuple(builder, builder.extract_value(parts, SHAPE))
        offset = Constant(IntType(64), 0)
        for place, of_place, length in zip(places, kinds, lengths, strict=True):
            # From the end if it is negative.
            place = arrayobj.fix_integer_index(self.context, builder, of_place, place, length)
            offset = builder.add(builder.mul(offset, length), place)
        return builder.gep(builder.extract_value(parts, DATA), [offset])


@register_pass(mutates_CFG=True, analysis_only=False)  # type: ignore[no-untyped-call]
class KernelLowering(NativeLowering):
    """Numba's pass with the code generator above."""

    _name = "kernel_lowering"

    @property
    def lowering_class(self) -> Any:
        """Return the code generator."""
        return KernelLower
