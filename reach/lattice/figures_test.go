package lattice_test

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// arc is an arc of a diagram; a loop stands for its vertex, and an arc to 0 is a
// stop-arc.
type arc struct{ from, to int }

// figure4 is the traversal of the diagram in Figure 3.
var figure4 = []arc{
	{1, 1}, {1, 2}, {2, 2}, {2, 3}, {3, 3}, {3, 6}, {2, 5}, {1, 4}, {4, 4}, {4, 5}, {5, 5},
	{5, 6}, {6, 6}, {6, 9}, {5, 8}, {4, 7}, {7, 7}, {7, 8}, {8, 8}, {8, 9}, {9, 9},
}

// A diagram is the arcs of a lattice with vertices from 1, those of a vertex from left
// to right.
type diagram struct {
	out, in [][]int
	below   [][]bool // below[x][y]: y is x or reachable from it
}

func newDiagram(vertices int) *diagram {
	return &diagram{out: make([][]int, vertices+1), in: make([][]int, vertices+1)}
}

func (d *diagram) add(from, to int) {
	d.out[from] = append(d.out[from], to)
	d.in[to] = append(d.in[to], from)
}

// close computes what is reachable. Vertices must be numbered topologically.
func (d *diagram) close() {
	d.below = make([][]bool, len(d.out))
	for x := len(d.out) - 1; x > 0; x-- {
		d.below[x] = make([]bool, len(d.out))
		d.below[x][x] = true
		for _, y := range d.out[x] {
			for z, yes := range d.below[y] {
				d.below[x][z] = d.below[x][z] || yes
			}
		}
	}
}

// sup is the supremum of x and y by search.
func (d *diagram) sup(x, y int) int {
	for z := 1; z < len(d.out); z++ {
		if d.below[x][z] && d.below[y][z] {
			return z // the first one in topological order is below all others
		}
	}
	panic("no lattice")
}

// traverse is the traversal of Definition 1: topological, depth-first, left to right.
func (d *diagram) traverse() (t []arc) {
	missing := make([]int, len(d.in))
	for v, in := range d.in {
		missing[v] = len(in)
	}
	var visit func(v int)
	visit = func(v int) {
		t = append(t, arc{v, v})
		for _, w := range d.out[v] {
			t = append(t, arc{v, w})
			if missing[w]--; missing[w] == 0 {
				visit(w)
			}
		}
	}
	visit(1)
	return t
}

// delayed is the traversal of Definition 3: arcs that come before something else that
// their target depends on are put off until right before it, and before the others to it.
func (d *diagram) delayed(t []arc) (result []arc) {
	later := make(map[int][]arc)
	for i, a := range t {
		switch {
		case a.from == a.to:
			result = append(result, a)
		case slices.ContainsFunc(t[i:], func(b arc) bool { return b.from == b.to && b.to != a.to && d.below[b.to][a.to] }):
			later[a.to] = append(later[a.to], a)
			result = append(result, arc{a.from, 0})
		default:
			result = append(append(result, later[a.to]...), a)
			later[a.to] = nil
		}
	}
	return result
}

// A walker is the algorithm of Figures 5 and 8, with the plainest union-find.
type walker struct {
	d       *diagram
	parent  []int
	visited []bool
}

func (w *walker) sup(x, t int) int {
	for w.parent[x] != 0 {
		x = w.parent[x]
	}
	if w.visited[x] {
		return t
	}
	return x
}

// walk traverses t and calls answer at each vertex.
func (d *diagram) walk(t []arc, answer func(w *walker, at int)) {
	w := &walker{d, make([]int, len(d.out)), make([]bool, len(d.out))}
	for _, a := range t {
		switch {
		case a.to == 0:
			w.visited[a.from] = false
		case a.from == a.to:
			w.visited[a.to] = true
			answer(w, a.to)
		case a.to == d.out[a.from][len(d.out[a.from])-1]:
			w.parent[a.from] = a.to
		}
	}
}

// grid is a random two-dimensional lattice: rows of cells, each with an arc to the cell
// right of it and one to that below it, if there are such. Rows overlap, and neither
// of their ends moves back.
func grid(r *rand.Rand) *diagram {
	type row struct{ from, to, first int }
	rows, vertices := []row{{0, r.IntN(4), 1}}, 0
	for k := range 1 + r.IntN(5) {
		if k > 0 {
			last := rows[k-1]
			from := last.from + r.IntN(last.to-last.from+1)
			rows = append(rows, row{from, last.to + r.IntN(3), vertices + 1})
		}
		vertices += rows[k].to - rows[k].from + 1
	}
	d := newDiagram(vertices)
	for k, w := range rows {
		for c := w.from; c <= w.to; c++ {
			if c < w.to {
				d.add(w.first+c-w.from, w.first+c-w.from+1)
			}
			if k+1 < len(rows) && c >= rows[k+1].from {
				d.add(w.first+c-w.from, rows[k+1].first+c-rows[k+1].from)
			}
		}
	}
	d.close()
	return d
}

// Figures 3, 4 and 7: the traversal of the diagram, and the delayed one.
func TestFigures(t *testing.T) {
	d := newDiagram(9)
	for _, a := range figure4 {
		if a.from != a.to {
			d.add(a.from, a.to)
		}
	}
	d.close()
	if got := d.traverse(); !slices.Equal(got, figure4) {
		t.Errorf("traversal %v, want that of Figure 4", got)
	}
	figure7 := []arc{
		{1, 1}, {1, 2}, {2, 2}, {2, 3}, {3, 3}, {3, 0}, {2, 0}, {1, 4}, {4, 4}, {2, 5}, {4, 5}, {5, 5},
	}
	if got := d.delayed(figure4); !slices.Equal(got[:len(figure7)], figure7) {
		t.Errorf("delayed traversal %v, want it to begin as in Figure 7, %v", got, figure7)
	}
	checkSuprema(t, d)
	checkRelaxed(t, d)
}

// Theorems 1 and 2: along a traversal, Figure 5 finds suprema. Theorem 4: along a delayed
// one, Figure 8 meets conditions 6 and 7.
func TestTraversals(t *testing.T) {
	for seed := range uint64(3000) {
		d := grid(rand.New(rand.NewPCG(seed, 0)))
		checkSuprema(t, d)
		checkRelaxed(t, d)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func checkSuprema(t *testing.T, d *diagram) {
	var visited []int
	d.walk(d.traverse(), func(w *walker, at int) {
		visited = append(visited, at)
		for _, x := range visited {
			for _, y := range visited {
				if s := d.sup(x, y); w.sup(s, at) != d.sup(s, at) {
					t.Errorf("at %d: the supremum with %d is %d, want %d", at, s, w.sup(s, at), d.sup(s, at))
				}
			}
		}
	})
}

func checkRelaxed(t *testing.T, d *diagram) {
	type pair struct{ x, y, sup int }
	var pairs []pair
	d.walk(d.delayed(d.traverse()), func(w *walker, at int) {
		for _, p := range pairs {
			if got, want := w.sup(p.sup, at) == at, d.below[p.x][at] && d.below[p.y][at]; got != want {
				t.Errorf("at %d: %d and %d precede it: %v, want %v", at, p.x, p.y, got, want)
			}
		}
		pairs = append(pairs, pair{at, at, w.sup(at, at)})
		for _, p := range pairs {
			if p.x == p.y {
				pairs = append(pairs, pair{p.x, at, w.sup(p.x, at)})
			}
		}
	})
}
