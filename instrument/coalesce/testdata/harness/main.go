// The program around random nests: it runs each on random values, counting and
// rewritten, and compares what was touched and what came out. nests is written beside it.
package main

import "unsafe"

type T struct {
	N     int
	table []int
	sum   int
	one   cell
	forty *[40]int
	short []int32
}

type V struct {
	D       []int
	W       int
	cells   []cell
	singles []single
}

type single struct{ x int }

type cell struct {
	x, y int
	z    byte
}

var tally int

var total int
var grid [6][9]int

func window(s []int, at, n int) []int { return s[at : at+n] }

func twice(x int) int { return 2 * x }

func modulo(x, y int) int { return x % y }

func sum(own [8]int) (s int) {
	for _, x := range own {
		s = s*3 + x
	}
	return s
}

// A counter is a variable that methods change.
type counter struct{ at, calls int }

func (c *counter) next() int {
	c.at += 7
	c.calls++
	return c.at ^ c.calls<<2
}

func (c *counter) below(n int) int { return c.part(uint(n)) }

func (c *counter) part(n uint) int { return int(uint(c.next()) % n) }

func (c *counter) add(x int) {
	if c.at = c.at*31 + x; x > 40 {
		c.next()
	}
}

var reads, writes, readFirst map[uintptr]bool

// What is remembered of a trail: the lines, from that of its function on, which read and wrote
// an element first; of reads those before any write.
var lines [2]map[uintptr]int

func remember(x uintptr, write bool) {
	if lines[0] == nil || lines[1][x] != 0 || !write && lines[0][x] != 0 {
		return
	}
	lines[map[bool]int{false: 0, true: 1}[write]][x] = line(3)
}

// line is the line, from that of its function on, where the function so many calls up is: 1
// is its caller. What it takes is in a file of its own, as loops are rewritten without a look
// at other packages.
var line func(up int) int

func equal(a, b map[uintptr]int) bool {
	for x, line := range a {
		if b[x] != line {
			return false
		}
	}
	return len(a) == len(b)
}

// How trails are rewritten: so many rounds one by one at first, and so many at most together.
var first, most = 0, 5

var noting bool
var steps int

const patience = 20000

func step() {
	if steps++; steps > patience {
		panic("patience")
	}
}

func rd[E any](p *E) *E {
	step()
	x := where(unsafe.Pointer(p))
	reads[x] = true
	if !writes[x] {
		readFirst[x] = true
	}
	remember(x, false)
	return p
}

func wr[E any](p *E) *E {
	step()
	x := where(unsafe.Pointer(p))
	writes[x] = true
	remember(x, true)
	return p
}

// rdAll and wrAll are for what is moved as a whole, and has all of its bytes touched.
func rdAll[E any](p *E) *E {
	for i := range unsafe.Sizeof(*p) {
		rd((*byte)(unsafe.Add(unsafe.Pointer(p), i)))
	}
	return p
}

func wrAll[E any](p *E) *E {
	for i := range unsafe.Sizeof(*p) {
		wr((*byte)(unsafe.Add(unsafe.Pointer(p), i)))
	}
	return p
}

func rw[E any](p *E) *E { rd(p); return wr(p) }

// shared is where variables are that others may reach. Each function has its own.
var shared struct {
	slice      *[]int
	pointer    **T
	one, other *int
}

func share(slice *[]int, pointer **T, one, other *int) {
	shared.slice, shared.pointer, shared.one, shared.other = slice, pointer, one, other
}

// where is the address p, or what stands for it.
func where(p unsafe.Pointer) uintptr {
	switch p {
	case unsafe.Pointer(shared.slice):
		return 1
	case unsafe.Pointer(shared.pointer):
		return 2
	case unsafe.Pointer(shared.one):
		return 3
	case unsafe.Pointer(shared.other):
		return 4
	}
	return uintptr(p)
}

var guarded bool

func told(op uint32, base unsafe.Pointer, n0, s0, n1, s1, n2, s2 int) {
	if n0 < 1 || n1 < 1 || n2 < 1 {
		panic("a box without elements")
	}
	set := reads
	if op == 2 {
		set = writes
	}
	for i := range n0 {
		for j := range n1 {
			for k := range n2 {
				x := where(base) + uintptr(i*s0+j*s1+k*s2)
				set[x] = true
				remember(x, op == 2)
			}
		}
	}
}

func inside(length, first, n0, s0, n1, s1, n2, s2 int) bool {
	if n0 < 1 || n1 < 1 || n2 < 1 || n0 > 1<<20 || n1 > 1<<20 || n2 > 1<<20 {
		return false
	}
	lo, hi := float64(first), float64(first)
	for _, d := range [][2]int{{n0, s0}, {n1, s1}, {n2, s2}} {
		if d[1] > 0 {
			hi += float64(d[0]-1) * float64(d[1])
		} else {
			lo += float64(d[0]-1) * float64(d[1])
		}
	}
	return lo >= 0 && hi < float64(length)
}

func masked(op uint32, base unsafe.Pointer, mask *[64]uint64, first, row, plane, n0, s0, n1, s1, n2, s2 int) {
	set := reads
	if op == 2 {
		set = writes
	}
	for k := range n2 {
		for j := range n1 {
			for i := range n0 {
				at := first + i + j*row + k*plane
				if mask[at/64]>>(at%64)&1 != 0 {
					x := where(base) + uintptr(i*s0+j*s1+k*s2)
					set[x] = true
					remember(x, op == 2)
				}
			}
		}
	}
}

func scattered(op uint32, base unsafe.Pointer, size uintptr, at *[32]uintptr) {
	if at[0] == 0 || at[1] < 1 || at[1] > 30 {
		panic("noted in a wrong way")
	}
	for _, i := range at[2 : 2+at[1]] {
		x := uintptr(base) + i*size
		reads[x] = true
		remember(x, op == 2)
	}
	at[1] = 0
}

func here(at *uintptr) { *at = uintptr(line(2)) }

func either(op uint32, place uintptr, base unsafe.Pointer, one, other *[64]uint64, first, n, stride int) {
	set := reads
	if op == 2 {
		set = writes
	}
	last := 0
	for i := range n {
		x, at := uintptr(base)+uintptr(i*stride), first+i
		a, b := one[at/64]>>(at%64)&1 != 0, other[at/64]>>(at%64)&1 != 0
		switch {
		case a && b:
			panic("an element is accessed in both ways")
		case a:
			set[x] = true
			if to := lines[op-1]; to != nil && lines[1][x] == 0 && to[x] == 0 {
				to[x] = int(place)
			}
		case b:
			set[x] = true
			remember(x, op == 2)
		}
		if a || b {
			last = i
		} else if i == 0 {
			panic("the first element is not accessed")
		}
	}
	if last != n-1 {
		panic("the last element is not accessed")
	}
}

type random uint64

func (r *random) next(n int) int {
	*r = *r*6364136223846793005 + 1442695040888963407
	return int(uint64(*r)>>33) % n
}

func (r *random) number() int {
	if r.next(40) == 0 {
		return []int{1 << 40, -1 << 62, 1<<63 - 1, -1 << 63, 1 << 29, -5}[r.next(6)]
	}
	return r.next(14) - 1
}

type pair struct {
	count, run nest
	trail      bool
}

type nest = func(a, b []int, m [][]int, p *T, v V, n, k, q int) int

func ints(n int) []int { return make([]int, n) }

func fill(s []int) {
	for i := range s {
		s[i] = i * 7
	}
}

var cases, together, stopped int

func compare(number int, r *random, count, run nest, trail bool) {
	big := []int{16, 300, 1200}[r.next(3)]
	a, b := ints(r.next(big)), ints(r.next(big))
	if r.next(4) == 0 {
		b = a
	}
	if trail && len(a) > 4 && r.next(4) == 0 {
		b = a[r.next(len(a)):]
	}
	m := make([][]int, r.next(16))
	for i := range m {
		m[i] = ints(r.next(big))
	}
	size := r.number()
	p := &T{table: ints(r.next(big)), short: make([]int32, r.next(16))}
	if r.next(8) > 0 {
		p.forty = new([40]int)
	}
	if r.next(50) == 0 {
		p = nil
	}
	v := V{ints(r.next(big)), r.number(), make([]cell, r.next(big)), make([]single, r.next(big))}
	total = r.number()
	n, k, q := r.number(), r.number(), r.number()
	outcome := func(f nest) (result int, panicked, contents string) {
		for i := range grid {
			fill(grid[i][:])
		}
		fill(a)
		fill(b)
		fill(v.D)
		if p != nil {
			fill(p.table)
			p.N, p.sum, p.one = size, 0, cell{1, 2, 3}
			if p.forty != nil {
				fill(p.forty[:])
			}
			for i := range p.short {
				p.short[i] = int32(i * 30)
			}
		}
		for i := range v.cells {
			v.cells[i] = cell{i * 7, i, byte(i)}
		}
		tally = 0
		for i := range m {
			fill(m[i])
		}
		reads, writes, readFirst, steps, guarded, noting = map[uintptr]bool{}, map[uintptr]bool{}, map[uintptr]bool{}, 0, false, false
		if lines = [2]map[uintptr]int{}; trail {
			lines = [2]map[uintptr]int{{}, {}}
		}
		func() {
			defer func() {
				switch e := recover().(type) {
				case nil:
				case error:
					panicked = e.Error()
				case string:
					panicked = e
				case int:
					panicked = "left"
				}
			}()
			result = f(a, b, m, p, v, n, k, q)
		}()
		h := uint64(14695981039346656037)
		add := func(s []int) {
			for _, x := range s {
				h = (h ^ uint64(x)) * 1099511628211
			}
		}
		add(a)
		add(b)
		add(v.D)
		for i := range grid {
			add(grid[i][:])
		}
		if p != nil {
			add(p.table)
			add([]int{p.N, p.sum, p.one.x, p.one.y})
			if p.forty != nil {
				add(p.forty[:])
			}
		}
		for _, c := range v.cells {
			add([]int{c.x, c.y, int(c.z)})
		}
		add([]int{tally})
		for i := range m {
			add(m[i])
		}
		return result, panicked, string([]byte{byte(h), byte(h >> 8), byte(h >> 16), byte(h >> 24), byte(h >> 32), byte(h >> 40)})
	}
	want, wantPanic, wantContents := outcome(count)
	if wantPanic == "patience" {
		return
	}
	wantReads, wantWrites, wantFirst, wantLines := reads, writes, readFirst, lines
	first, most = 0, 1+r.next(40)
	got, gotPanic, gotContents := outcome(run)
	cases++
	bad := func(what string) {
		println("WRONG nest", number, what, "n", n, "k", k, "q", q, "most", most)
	}
	if trail {
		if got != want || gotPanic != wantPanic || gotContents != wantContents {
			bad("does something else: " + gotPanic + " instead of " + wantPanic)
		}
		if wantPanic != "" {
			stopped++
		}
		if noting {
			together++
			for i, which := range []string{"reads", "writes"} {
				if !equal(lines[i], wantLines[i]) {
					bad(which + " other elements first")
				}
			}
		} else if len(reads)+len(writes) > 0 {
			bad("tells of what it does one by one")
		}
		// Some rounds one by one, of which nothing is told here.
		first = 1 + r.next(20)
		got, gotPanic, gotContents = outcome(run)
		if got != want || gotPanic != wantPanic || gotContents != wantContents {
			bad("does something else after some rounds: " + gotPanic + " instead of " + wantPanic)
		}
		return
	}
	if (gotPanic == "") != (wantPanic == "") {
		bad("panics: " + gotPanic + " instead of " + wantPanic)
	}
	if wantPanic != "" {
		stopped++
		for x := range reads {
			if !guarded && !wantReads[x] {
				bad("tells of what it does not come to")
				break
			}
		}
		if guarded && wantPanic != "left" {
			bad("runs together though it panics: " + wantPanic)
		}
		if gotContents != wantContents {
			bad("writes something else before it panics")
		}
		return
	}
	if got != want || gotContents != wantContents {
		bad("computes something else")
	}
	if !guarded {
		// What was noted of elements before it was left may have been told.
		for x := range reads {
			if !wantReads[x] {
				bad("tells of what it does one by one")
				break
			}
		}
		if len(writes) > 0 {
			bad("tells of what it writes one by one")
		}
		return
	}
	together++
	for x := range writes {
		if !wantWrites[x] {
			bad("claims a write")
			break
		}
	}
	for x := range wantWrites {
		if !writes[x] {
			bad("misses a write")
			break
		}
	}
	for x := range reads {
		if !wantReads[x] {
			bad("claims a read")
			break
		}
	}
	for x := range wantFirst {
		if !reads[x] {
			bad("misses a read")
			break
		}
	}
}

func main() {
	for i := range nests {
		for seed := range 60 {
			r := random(uint64(i)*1000003 + uint64(seed)*7919)
			compare(i, &r, nests[i].count, nests[i].run, nests[i].trail)
		}
	}
	println("cases", cases, "together", together, "stopped", stopped)
}
