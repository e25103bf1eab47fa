package shadow

import (
	"math/bits"

	"github.com/detrace/detrace/internal/invariants"
)

// BoxDims is how many dimensions a box can have.
const BoxDims = 3

// Box is the elements that one reference in a nest of loops touches: their addresses
// are Base plus, for each dimension, its Stride times any number below its Count.
type Box struct {
	Base uintptr
	Dims [BoxDims]Dim
}

// Dim is one loop's part in a box. Count is at least 1, which it is in a dimension that
// is not used. Stride, in bytes, may be negative or 0.
type Dim struct{ Count, Stride int }

// Normal returns the same elements, each named once where that can be seen: Base is the
// lowest one, strides are positive and ascend, dimensions that together are one are
// joined, and those not used come last.
func (b Box) Normal() Box {
	d := &b.Dims
	for i := range d {
		if d[i].Stride < 0 {
			b.Base -= uintptr(-d[i].Stride) * uintptr(d[i].Count-1)
			d[i].Stride = -d[i].Stride
		}
		if d[i].Stride == 0 || d[i].Count == 1 {
			d[i] = Dim{Count: 1}
		}
	}
	for again := true; again; {
		again = settle(&d[0], &d[1])
		again = settle(&d[1], &d[2]) || again
	}
	return b
}

// settle makes inner the dimension of the smaller stride, and of both one where they
// are; it reports whether it changed something.
func settle(inner, outer *Dim) bool {
	switch {
	case outer.Count == 1:
		return false
	case inner.Count == 1 || inner.Stride > outer.Stride:
		*inner, *outer = *outer, *inner
		return true
	case outer.Stride%inner.Stride == 0 && outer.Stride <= inner.Count*inner.Stride:
		inner.Count += (outer.Count - 1) * (outer.Stride / inner.Stride)
		*outer = Dim{Count: 1}
		return true
	}
	return false
}

// maxReach keeps products of counts and steps far from overflow; no memory is as large.
const maxReach = 1 << 47

// Inside reports whether the indices first plus, for each dimension, the Stride times any
// number below the Count, are all at least 0 and below length, and every Count is at
// least 1. Any numbers may be given.
//
//go:nosplit
func Inside(length, first int, dims *[BoxDims]Dim) bool {
	lo, hi := first, first
	if first < 0 || first >= length {
		return false
	}
	for i := range dims {
		n, step := dims[i].Count, dims[i].Stride
		switch {
		case n < 1:
			return false
		case n == 1 || step == 0:
		case n > maxReach || step > maxReach || step < -maxReach:
			return false
		default:
			high, low := bits.Mul64(uint64(n-1), uint64(max(step, -step)))
			if high != 0 || low > maxReach {
				return false
			}
			if step > 0 {
				hi += int(low)
			} else {
				lo -= int(low)
			}
		}
	}
	return lo >= 0 && hi < length && hi >= first
}

// Elements is the number of elements of a box that is Normal, those counted twice that
// it names twice.
func (b *Box) Elements() uint64 {
	return uint64(b.Dims[0].Count) * uint64(b.Dims[1].Count) * uint64(b.Dims[2].Count)
}

// Last is the address of the last element of a box that is Normal.
func (b *Box) Last() uintptr {
	last := b.Base
	for _, d := range &b.Dims {
		last += uintptr(d.Count-1) * uintptr(d.Stride)
	}
	return last
}

// AccessBox makes the access a to each element of a box that is Normal, as Access does
// to one byte: to the byte at which the element starts. The order of the elements is
// nobody's business, as all are accessed in one strand. Cost: that of Access for each
// distinct state in turn, and a comparison per granule for elements side by side, per
// element for others.
func (h *History) AccessBox(b Box, a *Access, o Order) Outcome {
	w := h.Window(b.Base)
	if w == nil {
		return Outcome{}
	}
	invariants.Assert(b.Last()-w.Lo < w.Size, "shadow: a box leaves its window")
	a.thread = h.thread(o)
	var s step
	s.begins(h, w, a, o)
	row, stride := b.Dims[0], uintptr(b.Dims[0].Stride)
	if row.Count == 1 {
		stride = 8
	}
	if stride <= 8 && stride&(stride-1) == 0 {
		s.mask = uint8([...]uint64{1: 0xff, 2: 0x55, 4: 0x11, 8: 0x01}[stride] << (b.Base % stride))
		s.ranges = o.Ranges().about(a, s.mask)
	}
	for k := range b.Dims[2].Count {
		for j := range b.Dims[1].Count {
			p := b.Base + uintptr(k*b.Dims[2].Stride) + uintptr(j*b.Dims[1].Stride)
			if s.mask != 0 && p%stride == b.Base%stride {
				s.dense(p, p+uintptr(row.Count-1)*stride)
			} else {
				s.sparse(p, uintptr(row.Count), stride)
			}
		}
	}
	return Outcome{Before: s.olds[s.last], After: s.news[s.last], Did: Did{Changed: s.moved, Full: s.full}}
}

// dense makes the access to elements from first to last that fill granules by the
// step's mask.
func (s *step) dense(first, last uintptr) {
	full := last &^ 7 // the end of the granules of which all elements are accessed
	if s.mask>>(last&7) == 1 {
		full += 8
	}
	for p := first &^ 7; p <= last; {
		mask := s.mask
		if p < first {
			mask &= 0xff << (first & 7)
		}
		if last-p < 8 {
			mask &= 0xff >> (7 - last&7)
		}
		if mask != s.mask {
			s.granule(p, mask)
			p += 8
			continue
		}
		stop := min(p|(chunk-1)+1, full)
		s.whole(p, stop)
		p = stop
	}
}

// sparse makes the access to n elements that are further apart.
func (s *step) sparse(p, n, stride uintptr) {
	same, sameByte := uint64(0), uintptr(0) // what stays as it is, unless 0
	for ; n > 0; n, p = n-1, p+stride {
		v := s.window.value(p)
		if v == same && v != 0 && p&7 == sameByte {
			continue
		}
		s.granule(p&^7, 1<<(p&7))
		if !s.full && !cell(v).isBlock() && s.window.value(p) == v {
			same, sameByte = v, p&7
		}
	}
}
