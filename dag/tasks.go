package dag

// Tasks builds the graph of a program of tasks that fork, release and acquire.
// Every task is a chain of strands. A fork and a release end a strand and an
// acquire begins one; each acquire has an edge from every release that its
// object holds. Tasks are numbered from 1, the root, in order of creation,
// objects by the caller. Events may come in any order in which they could
// happen. Not safe for concurrent use.
type Tasks struct {
	Graph
	tasks   []task // tasks[i] is task i+1
	objects map[int][]Strand
}

type task struct {
	current Strand
	parent  int
	forkAt  Strand
}

// NewTasks returns a program whose root task is in its first strand.
func NewTasks() *Tasks {
	t := &Tasks{objects: make(map[int][]Strand)}
	t.tasks = append(t.tasks, task{current: t.Add()})
	return t
}

// Count is the number of tasks ever created.
func (p *Tasks) Count() int { return len(p.tasks) }

// Current is the strand that task t is in, the last one if it has ended.
func (p *Tasks) Current(t int) Strand { return p.tasks[t-1].current }

// Parent is the task that forked t and the strand at the end of which it did;
// 0, 0 for the root.
func (p *Tasks) Parent(t int) (int, Strand) {
	return p.tasks[t-1].parent, p.tasks[t-1].forkAt
}

// Fork creates a child of parent and returns its number.
func (p *Tasks) Fork(parent int) int {
	at := p.Current(parent)
	p.tasks = append(p.tasks, task{current: p.Add(at), parent: parent, forkAt: at})
	p.step(parent)
	return len(p.tasks)
}

// step begins the next strand of t, with edges from more than its last one.
func (p *Tasks) step(t int, preds ...Strand) {
	p.tasks[t-1].current = p.Add(append([]Strand{p.Current(t)}, preds...)...)
}

// Release makes object o hold exactly the current strand of t.
func (p *Tasks) Release(t, o int) {
	p.objects[o] = []Strand{p.Current(t)}
	p.step(t)
}

// ReleaseMerge adds the current strand of t to what o holds.
func (p *Tasks) ReleaseMerge(t, o int) {
	p.objects[o] = append(p.objects[o], p.Current(t))
	p.step(t)
}

// Acquire begins a strand of t after every strand that o holds.
func (p *Tasks) Acquire(t, o int) { p.step(t, p.objects[o]...) }

// ReleaseAcquire makes o hold exactly the current strand of t, and begins a
// strand of t after what o held before.
func (p *Tasks) ReleaseAcquire(t, o int) {
	held := p.objects[o]
	p.objects[o] = []Strand{p.Current(t)}
	p.step(t, held...)
}

// AcquireAll begins a strand of t after the current strand of every task.
func (p *Tasks) AcquireAll(t int) {
	all := make([]Strand, len(p.tasks))
	for i := range p.tasks {
		all[i] = p.tasks[i].current
	}
	p.step(t, all...)
}

// Forget makes o hold nothing.
func (p *Tasks) Forget(o int) { delete(p.objects, o) }
