package loops

type table struct {
	n     int
	cells []float64
	rows  [][]int
	next  *table
	big   [40]int
}

var shared []int

func together(a, b []int, t *table, n int) (s int) {
	for i := range a {
		a[i] = i
	}
	for i := 0; i < n; i++ {
		for j := 0; j < t.n; j++ {
			t.cells[i*t.n+j] += 1
		}
	}
	for i := 0; i < n; i++ {
		for j := 0; j <= i; j++ {
			s += t.rows[i][j]
		}
	}
	for i, v := range b {
		if v > 3 {
			a[i] = v
		}
	}
	for i := range n {
		s += t.big[i] * twice(shared[n-i])
	}
	for i := range n {
		s += t.at(i) + a[i]
	}
	for i := range n { // a part of t is not looked into, which is no matter inside
		row := t.part(i)
		for j := range row {
			row[j] = i
		}
	}
	return s
}

func (t *table) part(i int) []int { return t.rows[i][1:] }

func twice(x int) int { return 2 * x }

func (t *table) at(i int) int { return t.rows[0][i] }

func oneByOne(a, b []int, t *table, n int, f func()) (s int) {
	for i := range a { // a call
		f()
		a[i]++
	}
	for i := range a { // it may stop
		if a[i] == 7 {
			break
		}
	}
	for i := range a { // it may panic
		a[i] /= a[i]
	}
	for _, i := range b { // the index is data
		a[i]++
	}
	for i := 0; a[i] < n; i++ { // the bound is data
		s++
	}
	for ; t != nil; t = t.next { // no counting
		s += t.n
	}
	c := a
	for i := range c { // the slice changes
		c = c[1:]
		s += i
	}
	for i := 0; i < t.n; i++ { // what bounds it is stored to
		t.n = a[i]
	}
	for i := 0; i < n; i++ { // i*i is not linear
		a[i*i] = 0
	}
	for i := range n { // no memory
		s += i
	}
	sum := 0
	go func() {
		for i := range a { // sum is shared
			sum += a[i]
		}
	}()
	for i := range a { // it waits
		<-make(chan int)
		a[i] = 0
	}
	names := []string{"x"}
	for i := 0; i < len(names[0]); i++ { // what bounds it is stored to
		names[i] = ""
	}
	len := func(int) int { return 1 }
	return s + len(1)
}

// Of what a nest wrote itself, only the borders need be told when it is read.
func wavefront(a []int, b []bool, w, n int) {
	for i := 1; i < n; i++ {
		for j := 1; j < n; j++ {
			if b[j] {
				a[i*w+j] = a[(i-1)*w+j-1] + 1
			} else {
				a[i*w+j] = max(a[(i-1)*w+j], a[i*w+j-1])
			}
		}
	}
	for i := 0; i < n; i++ {
		a[i+2] = a[i] + a[i+3]
	}
}

// Loops that write nothing may be left.
func search(a []int, n int) (int, error) {
	for i := 1; i < len(a); i++ {
		if a[i] < a[i-1] {
			return i, nil
		}
	}
	for i := range n {
		for j := range n {
			if a[i] == a[j] {
				break
			}
		}
	}
	for i := range n {
		if a[i] == n {
			break
		}
		a[i] = 0
	}
	return 0, nil
}

// Rows are parts of one slice.
func rows(m []int, w, n int) {
	for i := range n {
		row, above := m[i*w:i*w+n], window(m, (i-1)*w, n)
		for j := range row {
			row[j] += above[j]
		}
	}
	for i := range n {
		row := m[i*w : n*w]
		row[i] = i
	}
}

func window(m []int, at, n int) []int { return m[at : at+n] }

// An array over whose indices a loop goes is not read for that.
func arrays(table [][8]float32, p *[8]float32, i int) (far float32) {
	for k := range table[i] {
		far += table[i][k]
	}
	for k := range p {
		far += table[i][k]
	}
	for _, v := range table[i] {
		far += v
	}
	return far
}

// Loops whose course depends on data note how far they come.
func trails(a, b, to []int, limit int) (int, bool) {
	n := 0
	for i := range a {
		if a[i] < limit {
			to[n] = a[i]
			n++
		}
	}
	for n > 0 && to[n-1] > limit {
		n--
	}
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		switch {
		case a[i] < b[j]:
			i++
		}
	}
	for i < len(a) && j < len(b) {
		if a[i] == b[j] {
			return i, true
		} else if a[i] < b[j] {
			i++
		} else {
			j++
		}
	}
	for i := range a { // in which order the two come to an element is not known
		n += a[i] +
			a[j]
		j++
	}
	for k := range to { // one element here, one there
		if a[i] < b[j] {
			to[k] = a[i]
			i++
		} else {
			to[k] = b[j]
			j++
		}
	}
	for i < len(a) { // two elements further, or one
		n += a[i]
		if a[i] < limit {
			to[j] = a[i]
			j++
		}
		i++
		j++
	}
	for i < len(a) { // it stands still
		limit += a[0]
		i++
	}
	return 0, false
}

// A generator is a variable of numbers that its methods change.
type generator uint64

func (g *generator) next() uint64 {
	*g = *g*25 + 7
	return uint64(*g) >> 3
}

func (g *generator) below(n int) int { return int(g.next() % uint64(n)) }

func (g *generator) kept() *generator { return g }

// What a nest divides by is looked at before.
func divided(a []int, t *table, n int) (s int) {
	g, h := generator(n), generator(0)
	for i := range a {
		a[i] = i/t.n + g.below(n)
	}
	for i := range a { // by something else each time
		a[i] = n / i
	}
	for i := range a {
		a[i] = g.below(i)
	}
	for i := range a { // it may be shared
		a[i] = h.below(n)
	}
	h.kept().next()
	return s + int(g)
}

// Arrays of the function's own are nobody else's.
func own(a []int, t *table, n int) (s int, sums [8]int) {
	var count [16]int
	for i := range a {
		count[a[i]&15]++
		part := count[4:a[i]]
		part[i&3] += t.n
	}
	for i := range a { // it has written when it panics
		a[i] = count[a[i]]
	}
	for i := range a { // its indices are inside, or it does not begin
		a[i] = count[i]
		sums[i] += a[i]
	}
	for _, v := range count {
		s += v * t.n
	}
	part := sums[:]
	for i := range part { // an array by two names
		s += part[i] * sums[i] * a[i]
	}
	return s, sums
}

func given(a []int) {
	var count [16]int
	part := count[:]
	for i := range a { // it is shared
		count[i] = a[i]
	}
	shared = part
}

type point struct{ x, y int }

var sum point

// Fields are stored to, and structs moved as a whole.
func fields(points []point, t *table) (far point) {
	for i := range points {
		points[i].x += points[i].y
		t.n++
		sum.x += t.n
	}
	for i, p := range points {
		far.x += p.x
		q := points[i]
		q.y++
		points[i] = q
	}
	for i, p := range points { // on a condition
		if p.x > 0 {
			points[i] = p
		}
	}
	for i, p := range points { // an index that is data
		points[p.x].y = i
	}
	return far
}
