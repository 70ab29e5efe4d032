"""Short code for what kernels do most: read and write elements of contiguous arrays.

Numba copies the array's structure for each element, and LLVM takes the copies out again: a tenth of
the time that kernels compile. All else is Numba's.
"""

from __future__ import annotations

from typing import Any

from llvmlite.ir import Constant, IntType
from numba import types
from numba.core import cgutils as typed_cgutils
from numba.core.compiler_machinery import register_pass
from numba.core.lowering import Lower as TypedLower
from numba.core.typed_passes import NativeLowering
from numba.np import arrayobj as typed_arrayobj

# Their annotations are incomplete.
Lower: Any = TypedLower
arrayobj: Any = typed_arrayobj
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
