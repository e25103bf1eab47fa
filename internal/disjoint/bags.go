package disjoint

// Bags is the bags of tasks of a depth-first serial run (Feng and Leiserson): every
// task that has started is in one bag, an S bag or a P bag. That of a running task is an
// S bag and holds it and what it has joined; at its return it becomes a P bag,
// until it is joined.
//
// One goroutine at a time. The zero value must be initialised. Every method O(α)
// amortised; 4 bytes a task.
type Bags struct {
	tasks Sets // labelled: S bags
}

// Init reserves address space for tasks below max; 0 is no task.
func (b *Bags) Init(max uint32) { b.tasks.Init(max) }

// Start puts t, which starts to run, in an S bag of its own.
func (b *Bags) Start(t uint32) { b.tasks.Add(t, true) }

// Return makes the bag of t, which ends, a P bag.
func (b *Bags) Return(t uint32) { b.tasks.SetLabel(b.tasks.Find(t), false) }

// Join adds the bag of t, which has returned, to that of the running task by.
func (b *Bags) Join(by, t uint32) { b.tasks.Union(b.tasks.Find(by), b.tasks.Find(t)) }

// Serial reports whether t is in an S bag: whether all that it has run precedes
// what runs now, as far as what has been joined tells.
func (b *Bags) Serial(t uint32) bool { return b.tasks.Label(b.tasks.Find(t)) }
