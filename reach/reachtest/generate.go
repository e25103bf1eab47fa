package reachtest

import "math/rand/v2"

// Generate returns a random legal program of about n events. Each program
// prefers some constructs and some shape of the fork tree, so that in a few
// thousand all mixtures occur: wide and deep trees, tasks that go on after
// their Done, WaitGroups that are reused, interleaved and waited for by
// non-parents, children nobody joins, channels of every capacity, close, locks,
// promises, and releases and acquires that follow no construct at all.
func Generate(r *rand.Rand, n int) Program {
	g := generator{rand: r, length: n, objects: 1}
	g.tasks = append(g.tasks, &taskState{number: 1})
	g.shape = r.IntN(4)
	g.maxLive = 2 + r.IntN(20)
	total := 0
	for i := range g.weights {
		g.weights[i] = []int{0, 1, 1, 3, 8}[r.IntN(5)]
		if i == actFork {
			g.weights[i] += 1 + r.IntN(8)
		}
		if rare := i == actAll || i == actCollect; rare && r.IntN(3) > 0 {
			g.weights[i] = 0
		} else if rare {
			g.weights[i] = 1
		}
		total += g.weights[i]
	}
	for len(g.out) < n {
		pick := r.IntN(total)
		for act, w := range g.weights {
			if pick -= w; pick < 0 {
				g.act(act)
				break
			}
		}
	}
	return append(g.out, Event{Op: Check})
}

const (
	actFork = iota
	actEnd
	actDone
	actWait
	actSend
	actReceive
	actClose
	actLock
	actPromise
	actGet
	actSwap
	actRaw
	actAll
	actCollect
	actFree
	actCheck
	actions
)

type generator struct {
	rand     *rand.Rand
	length   int // of the program to be
	out      Program
	weights  [actions]int
	shape    int // where forks happen: anywhere, at the newest, at the root, at the oldest running
	maxLive  int
	tasks    []*taskState // running
	count    int          // tasks forked
	objects  int          // next unused object
	groups   []*group
	channels []*channel
	promises []int // set
	locks    []int
	raw      []int
}

type taskState struct {
	number int
	owes   []*group // Dones still to come
}

// group is a WaitGroup.
type group struct{ object, pending int }

// channel has a slot and a return slot for each message of a round of its
// capacity, or swaps on one slot as the runtime's hooks do.
type channel struct {
	capacity   int
	swaps      bool
	sent, got  int
	slots      []int
	returns    []int
	closed     int // object of the close
	closedOnce bool
}

func (g *generator) emit(op Op, t *taskState, arg int) {
	e := Event{Op: op, Arg: arg}
	if t != nil {
		e.Task = t.number
	}
	g.out = append(g.out, e)
}

func (g *generator) newObject() int {
	g.objects++
	return g.objects - 1
}

func (g *generator) task() *taskState { return g.tasks[g.rand.IntN(len(g.tasks))] }

func (g *generator) act(act int) {
	t := g.task()
	switch act {
	case actFork:
		g.fork()
	case actEnd:
		g.end(t)
	case actDone:
		g.done(t)
	case actWait:
		g.wait(t)
	case actSend, actReceive, actClose:
		g.message(act, t)
	case actLock:
		o := g.pick(&g.locks)
		g.emit(Acquire, t, o)
		g.emit(Release, t, o)
	case actPromise:
		g.promises = append(g.promises, g.newObject())
		g.emit(Release, t, g.promises[len(g.promises)-1])
	case actGet:
		if n := len(g.promises); n > 0 {
			g.emit(Acquire, t, g.promises[g.rand.IntN(n)])
		}
	case actSwap:
		g.emit(ReleaseAcquire, t, g.pick(&g.raw))
	case actRaw:
		g.emit([]Op{Release, Merge, Merge, Acquire, Acquire}[g.rand.IntN(5)], t, g.pick(&g.raw))
	case actAll:
		g.emit(AcquireAll, t, 0)
	case actCollect:
		g.emit(Collect, nil, g.rand.IntN(1000))
	case actFree:
		if len(g.raw) > 0 && g.rand.IntN(4) == 0 {
			g.emit(Free, nil, g.pick(&g.raw))
		}
	case actCheck:
		if g.rand.IntN(4+g.length/10) == 0 { // the cost of a check is quadratic
			g.emit(Check, nil, 0)
		}
	}
}

// pick returns one of up to three objects of a kind.
func (g *generator) pick(of *[]int) int {
	if i := g.rand.IntN(3); i < len(*of) {
		return (*of)[i]
	}
	*of = append(*of, g.newObject())
	return (*of)[len(*of)-1]
}

func (g *generator) fork() {
	if len(g.tasks) > g.maxLive {
		g.end(g.tasks[1+g.rand.IntN(len(g.tasks)-1)])
		return
	}
	parent := g.task()
	switch {
	case g.rand.IntN(4) == 0: // anywhere, whatever the shape
	case g.shape == 1:
		parent = g.tasks[len(g.tasks)-1]
	case g.shape == 2:
		parent = g.tasks[0]
	case g.shape == 3:
		parent = g.tasks[min(1, len(g.tasks)-1)]
	}
	g.count++
	child := &taskState{number: g.count + 1}
	// Add comes before the go statement, to a new WaitGroup or one in use.
	for g.rand.IntN(4) > 0 && len(child.owes) < 2 {
		i := g.rand.IntN(5)
		if i >= len(g.groups) {
			g.groups = append(g.groups, &group{object: g.newObject()})
			i = len(g.groups) - 1
		} else if g.rand.IntN(2) == 0 {
			i = len(g.groups) - 1
		}
		g.groups[i].pending++
		child.owes = append(child.owes, g.groups[i])
	}
	g.emit(Fork, parent, child.number)
	g.tasks = append(g.tasks, child)
}

func (g *generator) done(t *taskState) {
	if len(t.owes) == 0 {
		return
	}
	w := t.owes[0]
	t.owes = t.owes[1:]
	w.pending--
	g.emit(Merge, t, w.object)
}

// end ends t unless it is the root. What it still owes is paid first.
func (g *generator) end(t *taskState) {
	if t.number == 1 {
		return
	}
	for len(t.owes) > 0 {
		g.done(t)
	}
	g.emit(End, t, 0)
	for i, other := range g.tasks {
		if other == t {
			g.tasks = append(g.tasks[:i:i], g.tasks[i+1:]...)
		}
	}
}

// wait lets t wait for a group that nobody owes anything. When there is none,
// the tasks that owe the newest group end, as in nested fork-join.
func (g *generator) wait(t *taskState) {
	if len(g.groups) == 0 {
		return
	}
	w := g.groups[g.rand.IntN(len(g.groups))]
	if w.pending > 0 && g.rand.IntN(2) == 0 {
		for w.pending > 0 {
			for _, other := range g.tasks {
				if len(other.owes) > 0 && other != t {
					g.done(other)
				}
			}
			if len(t.owes) > 0 {
				g.done(t)
			}
		}
	}
	if w.pending == 0 {
		g.emit(Acquire, t, w.object)
	}
}

func (g *generator) message(act int, t *taskState) {
	i := g.rand.IntN(3)
	if i >= len(g.channels) {
		c := &channel{capacity: 1 + g.rand.IntN(3), swaps: g.rand.IntN(2) == 0, closed: g.newObject()}
		for range c.capacity {
			c.slots, c.returns = append(c.slots, g.newObject()), append(c.returns, g.newObject())
		}
		g.channels = append(g.channels, c)
		i = len(g.channels) - 1
	}
	c := g.channels[i]
	switch {
	case act == actClose:
		g.emit(Release, t, c.closed)
		c.closedOnce = true
	case act == actSend && !c.closedOnce && c.sent-c.got < c.capacity:
		g.transfer(t, c, c.sent, c.returns, c.slots)
		c.sent++
	case act == actReceive && c.sent > c.got:
		g.transfer(t, c, c.got, c.slots, c.returns)
		c.got++
	case act == actReceive && c.closedOnce:
		g.emit(Acquire, t, c.closed)
	}
}

// transfer takes what the other side left for message k and leaves something.
func (g *generator) transfer(t *taskState, c *channel, k int, from, to []int) {
	k %= c.capacity
	if c.swaps {
		g.emit(ReleaseAcquire, t, c.slots[k])
		return
	}
	if g.rand.IntN(2) == 0 { // an unbuffered channel releases first
		g.emit(Release, t, to[k])
		g.emit(Acquire, t, from[k])
		return
	}
	g.emit(Acquire, t, from[k])
	g.emit(Release, t, to[k])
}
