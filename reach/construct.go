package reach

// Kind is a kind of parallel construct.
type Kind uint8

// The constructs of structured programs. Each has a task that does it, and ends
// that task's current strand.
const (
	Spawn     Kind = iota + 1 // starts a child, joined by the task's next Sync
	Sync                      // joins all children spawned since the last one; all have ended
	Async                     // starts a child, joined by the end of the innermost finish that is open around the task
	Finish                    // opens a finish
	EndFinish                 // joins all tasks started inside the innermost finish, at any depth; all have ended
	Create                    // starts a future
	Get                       // joins a future, which has ended
	Set                       // sets a promise
	Await                     // follows the set of a promise
	Block                     // cannot follow the set yet: it stands where a task stops, and ends no strand
	Fork                      // starts a child immediately left of the task on its line
	Join                      // joins the left neighbour, which has ended, and takes it off the line
	End                       // the task is over; it has joined what it spawned
)

var kindNames = [...]string{"", "spawn", "sync", "async", "finish", "endfinish", "create", "get", "set", "await", "block", "fork", "join", "end"}

// String is the construct's name in text traces.
func (k Kind) String() string { return kindNames[k] }

// Forks reports whether k starts a task.
func (k Kind) Forks() bool { return k == Spawn || k == Async || k == Create || k == Fork }

// Construct is one parallel construct of a run of a structured program, with the
// strands it ends and begins.
//
// In such a run the numbers of strands (Strand.Index) are dense over all tasks, in
// order of creation: the root task's first strand is Root. A fork creates the
// child's first strand, then the continuation. A join of n tasks by Sync or
// EndFinish is n nested binary joins and creates n strands, of which the last is
// After and the others run nothing. Every other construct that has an After
// creates that one.
type Construct struct {
	Kind    Kind
	Task    Task
	Other   Task     // the task started or joined; for Await the one that set
	Promise uint32   // for Set, Await, Block; counted from 1 in order of making
	Finish  uint32   // for Finish, EndFinish, and Async: 0 if nobody will join it; counted from 1
	Before  Strand   // of Task, ended by the construct (for Block: it goes on)
	After   Strand   // of Task, begun by it; 0 for End
	First   Strand   // of Other, for a fork
	Source  Strand   // the end of the edge that Get, Await and Join add: it precedes After
	Joined  []Joined // for Sync and EndFinish; valid during the call only
}

// Joined is a task that a Sync or EndFinish joins. They come last created first,
// so that a task comes after all that were started in it. The i-th of the n
// created strands joins two: what the i-th task ends in by then, and what Into ends
// in by then. That is its last strand, or the latest of these strands that joined
// something into it.
type Joined struct {
	Task         Task
	Into         Task   // who started it; where that one is not joined here, its nearest ancestor that is, or that joins
	Fork         Strand // of who started it, ended by the fork
	First        Strand // of the task
	Continuation Strand // of who started it, begun by the fork
	Last         Strand // of the task
}

// Root is the first strand of a structured run, of task 1.
const Root = Strand(1<<32 | 1)

// Order is the order in which an engine must be told what happens.
type Order uint8

const (
	// AnyOrder is every order in which the constructs could happen.
	AnyOrder Order = iota
	// DepthFirst is that of a serial run that runs each child at its fork, to its
	// end. Nothing may have to wait.
	DepthFirst
	// Stacked is that of a serial run with task switching: DepthFirst until a task
	// blocks; it leaves the stack of running tasks, the one below goes on, and who
	// completes what a task waits for pushes it, of several the first to have
	// blocked on top.
	Stacked
)

// Traits says what an engine is.
type Traits struct {
	Name  string
	Order Order
	// Pairs: Precedes may be asked of any two strands that have started; otherwise
	// the second one must be the strand that runs.
	Pairs bool
}

// Engine answers which strand of a structured run precedes which. The root task is
// running in strand Root when it is new.
type Engine interface {
	Traits() Traits
	// Do tells of the next construct, in the order of Traits. c is valid during the
	// call. After a refusal the engine is as it was before, and must be told
	// nothing more.
	Do(c *Construct) Refusal
	// Precedes reports whether u precedes v or is v.
	Precedes(u, v Strand) bool
}

// Refusal says why a construct cannot be taken: it is outside an engine's class, or
// impossible where it stands. The zero value is no refusal.
type Refusal struct {
	Why string
	// Other is the task beside the construct's own whose fork or join shows the
	// conflict, 0 for none.
	Other Task
}

// Refused reports whether r is a refusal.
func (r Refusal) Refused() bool { return r.Why != "" }
