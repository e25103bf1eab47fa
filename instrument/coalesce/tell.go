package coalesce

import (
	"fmt"
	"strings"
)

// tells is the statements that tell the detector of boxes, in the order of the nest: of
// those that are touched in all rounds, or on a condition.
func (e *emission) tells(conditional bool) string {
	var b strings.Builder
	var alike []*box
	flush := func() {
		if len(alike) > 1 {
			b.WriteString(e.together(alike))
		} else if len(alike) == 1 {
			b.WriteString(e.one(alike[0]))
		}
		alike = nil
	}
	for _, box := range e.boxes {
		if box.silent || (box.branch != nil) != conditional {
			continue
		}
		if len(alike) > 0 && !e.alike(alike[0], box) {
			flush()
		}
		alike = append(alike, box)
	}
	flush()
	return b.String()
}

// alike reports whether boxes are told by one call: then they have one place, and what
// they touch is in one state. With a call for each, they would not meet in a line.
func (e *emission) alike(a, b *box) bool {
	return a.write == b.write && a.branch == nil && b.branch == nil && len(a.each)+len(b.each) == 0 &&
		e.fset.Position(a.pos).Line == e.fset.Position(b.pos).Line
}

func (b *box) op() int {
	if b.write {
		return 2
	}
	return 1
}

// one tells of one box.
func (e *emission) one(b *box) string {
	hook, mask := "Loop", ""
	if b.branch != nil {
		hook, mask = "Masked", b.noted()
	}
	return fmt.Sprintf("%s%s%s(%d, detraceunsafe.Pointer(&%s)%s%s)%s; ",
		b.open(), e.rewriter.line(b.pos), e.rewriter.name(hook), b.op(), segsText(b.segs), mask, b.dimensions(-1), b.close())
}

// together tells of several boxes.
func (e *emission) together(boxes []*box) string {
	var b strings.Builder
	b.WriteString("for detraceBox := 0; detraceBox < " + fmt.Sprint(len(boxes)) + "; detraceBox++ { var detraceBase detraceunsafe.Pointer; var detraceDims [6]int; switch detraceBox { ")
	for i, box := range boxes {
		fmt.Fprintf(&b, "case %d: %sdetraceBase, detraceDims = detraceunsafe.Pointer(&%s), [6]int{%s}%s; ",
			i, box.open(), segsText(box.segs), strings.TrimPrefix(box.dimensions(-1), ", "), box.close())
	}
	fmt.Fprintf(&b, "}; if detraceBase != nil { %s%s(%d, detraceBase", e.rewriter.line(boxes[0].pos), e.rewriter.name("Loop"), boxes[0].op())
	for i := range 6 {
		fmt.Fprintf(&b, ", detraceDims[%d]", i)
	}
	b.WriteString(") } }; ")
	return b.String()
}
