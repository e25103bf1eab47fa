package shadow

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/detrace/detrace/internal/mutants"
	"github.com/detrace/detrace/reach"
)

// clocked is a location with a table of its own, accessed by tasks that vector clocks
// order, and told of races.
type clocked struct {
	run    // of it the calls that do not matter
	states states
	state  State
	clocks [][]uint32 // by task: of each task, how many of its strands are known
	now    int
	races  []string
}

func newClocked(tasks int) *clocked {
	c := &clocked{clocks: make([][]uint32, tasks)}
	c.states.init(MaxStates)
	for t := range c.clocks {
		c.clocks[t] = make([]uint32, tasks)
		c.clocks[t][t] = 1
	}
	return c
}

func (c *clocked) close() { c.states.close() }

func (c *clocked) Precedes(u Strand) bool { return u.Index() < c.clocks[c.now][u.Task()-1] }
func (c *clocked) Race(earlier Access)    { c.races = append(c.races, fmt.Sprint(earlier)) }
func (c *clocked) Unordered(Access)       {}

func (c *clocked) access(t int, a Access, renewing bool) (renewed bool) {
	c.now, c.races = t, nil
	a.Strand = reach.StrandOf(reach.Task(t+1), c.clocks[t][t]-1)
	next := State(0)
	if renewing {
		next = c.states.renew(c.state, &a, 0, c)
	}
	if renewed = next != 0; !renewed {
		a.Learned = 0
		next, _ = c.states.follow(c.state, &a, 0, c)
	}
	c.state = next
	return renewed
}

func (c *clocked) list() (all []Access) {
	for s := c.state; s != 0; s = c.states.at(s).rest {
		all = append(all, c.states.at(s).access())
	}
	return all
}

// A read that takes the place of an earlier one of its task leaves what going through the
// whole list does, and tells of the same races, also when others made accesses in between.
func TestRenewedReads(t *testing.T) {
	const tasks = 4
	renewed, raced, behind := 0, 0, 0
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 23))
		fast, slow := newClocked(tasks), newClocked(tasks)
		learned := make([]uint32, tasks)
		for range 200 {
			k := r.IntN(tasks)
			switch op := r.IntN(10); {
			case op == 0: // learns from another
				from := r.IntN(tasks)
				if from == k {
					continue
				}
				for _, c := range []*clocked{fast, slow} {
					for i, n := range c.clocks[from] {
						c.clocks[k][i] = max(c.clocks[k][i], n)
					}
					c.clocks[from][from]++
					c.clocks[k][k]++
				}
				learned[k] = fast.clocks[k][k] - 1
			case op < 4: // begins a strand
				fast.clocks[k][k]++
				slow.clocks[k][k]++
			default:
				a := Access{Place: uint32(1 + r.IntN(2)), Context: 1, Op: Read, Locks: uint32(r.IntN(8) / 7), Learned: learned[k] + 1}
				if a.Site = a.Place; op == 4 {
					a.Op = []Op{Write, AtomicRead, AtomicWrite}[r.IntN(3)]
				}
				if a.Op.Atomic() { // no place has plain and atomic ones
					a.Place, a.Site = a.Place+2, a.Site+2
				}
				if fast.states.lengthOf(fast.state) >= shortList {
					fast.state, slow.state = 0, 0
				}
				before := fast.state
				if fast.access(k, a, true) {
					renewed++
					if fast.states.at(before).strand.Task() != reach.Task(k+1) {
						behind++
					}
				}
				slow.access(k, a, false)
				raced += len(fast.races)
				if !slices.Equal(fast.list(), slow.list()) || !slices.Equal(fast.races, slow.races) {
					t.Fatalf("seed %d: %+v leaves\n%v, told %v; going through the list\n%v, told %v", seed, a, fast.list(), fast.races, slow.list(), slow.races)
				}
			}
		}
		fast.close()
		slow.close()
	}
	if renewed < 1000 || raced < 1000 || behind < 100 {
		t.Errorf("%d renewed, %d of them behind others, %d races: the test is blind", renewed, behind, raced)
	}
}

// TestRenewMutants shows that it notices what is easily forgotten.
func TestRenewMutants(t *testing.T) {
	mutants.Run(t, "^TestRenewedReads$", []mutants.Mutant{
		{Name: "whatever was learned", File: "renew.go", Old: " && r.strand.Index()+1 >= a.Learned", New: ""},
		{Name: "under any locks", File: "renew.go", Old: " && r.locks == a.Locks", New: ""},
		{Name: "any kind of access", File: "renew.go", Old: "r.siteOp == a.siteOp()", New: "r.site() == a.Site"},
		{Name: "of any task", File: "renew.go", Old: "r.strand.Task() == a.Strand.Task() && r.strand < a.Strand", New: "r.strand < a.Strand"},
		{Name: "beside one of the same strand", File: "renew.go", Old: "r.strand == a.Strand || ", New: ""},
		{Name: "beside what it covers", File: "renew.go", Old: " && covers(a.Op, r.op())", New: " && false"},
		{Name: "no race is told", File: "renew.go", Old: "t.compareWrites(s, a, latest, o)", New: "_ = latest"},
		{Name: "later accesses are forgotten", File: "renew.go", Old: "for ; n > 0; n-- {", New: "for ; n > 8; n-- {"},
	})
}
