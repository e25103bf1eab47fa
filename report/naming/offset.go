package naming

import (
	"go/ast"
	"go/types"
)

var sizes = types.SizesFor("gc", "amd64")

// smallObject is the size up to which the allocator packs several objects
// into one block, so that an offset into the block says nothing.
const smallObject = 16

// fitsOffset is 3 when the candidate's place within its object is the one the
// address has, -3 when it cannot be, and 0 when that is not known: enough to
// tell two fields on one line apart.
func (c *candidate) fitsOffset(hint Hint) int {
	if c.elements || hint.Size == 0 || hint.Heap && hint.Size <= smallObject {
		return 0
	}
	lo, unit, ok := c.place()
	if !ok {
		return 0
	}
	t := c.dir.info.TypeOf(c.expr)
	if t == nil || !known(t) {
		return 0
	}
	size := sizes.Sizeof(t)
	at := int64(hint.Offset) - lo
	if unit > 0 {
		// Elements may lie anywhere in a larger array.
		at = ((at % unit) + unit) % unit
	}
	if at >= 0 && at < size {
		return 3
	}
	return -3
}

// place is where in its object the candidate lies: at offset lo, or with unit
// > 0 at lo plus any multiple of unit.
func (c *candidate) place() (lo, unit int64, ok bool) {
	e := ast.Unparen(c.expr)
	for {
		switch x := e.(type) {
		case *ast.Ident:
			return lo, unit, true
		case *ast.StarExpr:
			return lo, unit, true
		case *ast.ParenExpr:
			e = x.X
		case *ast.SelectorExpr:
			off, indirect, known := c.fieldOffset(x)
			if !known {
				return 0, 0, false
			}
			lo += off
			if indirect {
				return lo, unit, true
			}
			e = x.X
		case *ast.IndexExpr:
			t := c.dir.info.TypeOf(x)
			if t == nil || !known(t) {
				return 0, 0, false
			}
			unit = max(sizes.Sizeof(t), 1)
			if !c.isValue(x.X, isArray) {
				return lo, unit, true
			}
			e = x.X
		default:
			return 0, 0, false
		}
	}
}

// fieldOffset is the offset of the selected field in the struct that x.X is or
// points to, and whether that is a pointer.
func (c *candidate) fieldOffset(x *ast.SelectorExpr) (off int64, indirect, ok bool) {
	sel := c.dir.info.Selections[x]
	if sel == nil || sel.Kind() != types.FieldVal || len(sel.Index()) != 1 {
		return 0, false, false
	}
	t := sel.Recv().Underlying()
	if p, isPtr := t.(*types.Pointer); isPtr {
		t, indirect = p.Elem().Underlying(), true
	}
	s, isStruct := t.(*types.Struct)
	if !isStruct || !known(s) {
		return 0, false, false
	}
	fields := make([]*types.Var, s.NumFields())
	for i := range fields {
		fields[i] = s.Field(i)
	}
	return sizes.Offsetsof(fields)[sel.Index()[0]], indirect, true
}
