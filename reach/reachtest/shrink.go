package reachtest

import "slices"

// Shrink returns a program that still fails, as small as removing runs of
// events can make it, and how it fails. m is how p fails.
func Shrink(p Program, m *Mismatch, subjects ...Subject) (Program, *Mismatch) {
	return shrink(p, m, func(q Program) *Mismatch { return Run(q, subjects...) })
}

func shrink(p Program, m *Mismatch, run func(Program) *Mismatch) (Program, *Mismatch) {
	for size := len(p); size > 0; {
		smaller := false
		for at := 0; at < len(p); {
			q := slices.Concat(p[:at], p[min(at+size, len(p)):]).legal()
			if n := run(q); n != nil {
				p, m, smaller = q, n, true
			} else {
				at += size
			}
		}
		if !smaller || size > len(p) {
			size /= 2
		}
	}
	return p, m
}
