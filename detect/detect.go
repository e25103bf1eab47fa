// Package detect joins a reachability engine and an access history into a
// detector for native execution: events of a running Go program go in, races
// come out through a [Host]. It is the only package that knows both, and has two
// homes, like internal/offheap.
//
// Every call may come from any thread, while the thread's task is running or on
// behalf of a task that is parked. Calls are bracketed by Enter and Leave of the
// thread's Proc, so that memory can be collected while nobody is inside.
package detect

import (
	"unsafe"

	"github.com/detrace/detrace/internal/offheap"
	"github.com/detrace/detrace/internal/record"
	"github.com/detrace/detrace/reach"
	"github.com/detrace/detrace/reach/jointree"
	"github.com/detrace/detrace/shadow"
)

// Host is what a home lends to its detector. The functions are called between
// Enter and Leave and must not call the detector.
type Host struct {
	// Race is told of a pair of conflicting, unordered accesses. It returns
	// where further occurrences of the same pair can be counted.
	Race func(addr uintptr, first, second shadow.Access) *record.Entry
	// Luck is told of a pair of conflicting accesses that this schedule ordered and
	// another may not, without a lock that both held. It returns where further
	// occurrences can be counted, nil if it is none of the program's.
	Luck func(addr uintptr, first, second shadow.Access) *record.Entry
	// HandedOn reports whether addr is in an object that changes hands as a whole, so
	// that its accesses are ordered in every schedule if they are in this one. It may be
	// nil.
	HandedOn func(addr uintptr) bool
	// Unordered is told of a pair of atomic operations on one variable of which at
	// least one writes, and that only a schedule orders, if anything.
	Unordered func(addr uintptr, first, second shadow.Access)
	// Crowded is told of an access to memory of which not everything was kept that
	// only this schedule ordered.
	Crowded func(second shadow.Access)
	// Sole reports whether t, which runs, is sole (see [jointree.Engine.SetSole]): no other
	// task acts until t forks, but those that tell of it by AcquireAll; and whether it is the
	// first, too: none has acted ever. It may be nil.
	Sole func(t reach.Task) (sole, first bool)
	// HistoryFull is told once when accesses could not be remembered.
	HistoryFull func(second shadow.Access)
}

// MaxTasks is the number of tasks that may be remembered at one time.
const MaxTasks = 1 << 25

// MaxProcs is the number of Procs of one detector.
const MaxProcs = 2432

// Detector judges one program. Make it with Init; it is never copied.
type Detector struct {
	Engine  jointree.Orders
	History shadow.History
	// Observed says that the order of this schedule is all that counts: every edge is
	// taken for certain. It is set before the first event.
	Observed bool
	// NoMoves keeps the memos of transitions empty, so that every access comes to Access
	// that its strand has not made before, to the same memory, with the same or more
	// effect, and is remembered. It is set before the first access.
	NoMoves bool
	// NoHistory lets accesses pass unseen: what is left is the order of tasks. It is set
	// before the first access.
	NoHistory bool

	host     Host
	procs    offheap.Table[Proc]
	nprocs   uint32
	tasks    offheap.Table[Local]   // by task
	learned  offheap.Table[learned] // by task: see learnsIf
	objects  [2]objects             // synchronisation objects, by window of the history
	places   offheap.Stock[place]
	channels channels
	locks    locks
	library  library
	ran      ran
	serial   serial

	highest   uint32 // atomic: no task had a higher number
	stop      uint32 // a collection wants everybody out
	fences    bool   // and has a barrier for all, so that no thread needs one to enter
	others    uint32 // threads inside without a Proc
	full      uint32 // HistoryFull was told
	overheard uint32 // atomic: 1 from an AcquireAll to the next release of a sole task
	collected uint64 // bytes in use after the last collection
}

// Init prepares the detector for two ranges of addresses, as
// [shadow.History.Init] does, and returns with the root task running.
func (d *Detector) Init(host Host, lo0, size0, lo1, size1 uintptr) {
	d.host = host
	d.fences = offheap.Fence()
	d.Engine.Init(MaxTasks)
	d.History.Init(lo0, size0, lo1, size1, 0)
	d.procs.Init(MaxProcs)
	d.tasks.Init(MaxTasks)
	d.learned.Init(MaxTasks)
	d.places.Init(maxPlaces)
	d.channels.Init(maxChannels)
	d.locks.init()
	d.library.init()
	d.ran.init()
	d.objects[0].init(lo0, size0)
	d.objects[1].init(lo1, size1)
	d.highest = uint32(d.Engine.Root())
	d.moved(d.Engine.Root())
}

// Local is what a fast path needs of a task; only the thread that acts for the task
// uses it.
type Local struct {
	// Strand is the task's current strand.
	Strand reach.Strand
	// Version counts the frames pushed on the task's stack, and the times that this was moved,
	// by the host. Memos of a Proc that depend on the calling context are fresh while it stands
	// still.
	Version uint64
	// Ignore, while above 0, makes atomic operations invisible. It is the
	// host's.
	Ignore uint32
	// Locks is what the task holds, see Hold.
	Locks uint32
	// Floor is where the task's frames end on a stack that it shares, as a distance
	// from the stack's upper end; 0 if the whole stack is its own. It is the host's.
	Floor uint32
	// Since is when Strand began, for the history; 0 until its first access.
	Since uint32
	// Accesses counts reads and writes beside those that Proc counts, of all tasks that
	// had this number. A fast path finds them sooner than a Proc, and a store to an address
	// that is known late holds up the loads behind it.
	Accesses [2]uint64

	counted uint64 // accesses, when the strand made its first
	brief   bool   // the strand before made few

	_ [7]byte
	// entered has the Version of entries to functions, see Enters; 0 where nothing is known.
	entered [entered]uint32
	// It fills cache lines of its own: others run at the same time.
}

// briefStrand is how many accesses a strand makes that is brief.
const briefStrand = 16

// Where a fast path in assembly counts.
const LocalAccesses = unsafe.Offsetof(Local{}.Accesses)

// Local returns the Local of t. Those of all tasks lie in one array, by task.
//
//go:nosplit
func (d *Detector) Local(t reach.Task) *Local { return d.tasks.At(uint32(t)) }

// NewProc makes the context of one more thread, or nil when there are MaxProcs.
// A Proc is used by one thread at a time.
func (d *Detector) NewProc() *Proc {
	i := offheap.Add32(&d.nprocs, 1)
	if i > MaxProcs {
		return nil
	}
	p := d.procs.At(i - 1)
	p.detector = uintptr(unsafe.Pointer(d))
	return p
}

// Fork starts a child of parent, which runs; stack is where. It returns 0 when
// there is no room for another task.
func (d *Detector) Fork(parent reach.Task, stack uint32) reach.Task {
	t := d.fork(parent, stack)
	d.synced(parent, false)
	d.moved(parent)
	return t
}

func (d *Detector) fork(parent reach.Task, stack uint32) reach.Task {
	t := d.Engine.Fork(parent)
	if t != 0 {
		d.Engine.SetForkStack(t, stack)
		// Version goes on counting: no frame of an earlier task with this id may
		// pass for one of t.
		l := d.Local(t)
		high := offheap.Load32(&d.highest)
		if uint32(t) <= high {
			d.library.begins(t)
		}
		for uint32(t) > high && !offheap.CAS32(&d.highest, high, uint32(t)) {
			high = offheap.Load32(&d.highest)
		}
		d.learnsIf(t, true)
		l.Strand, l.Since, l.Ignore, l.Locks, l.Floor = d.Engine.Strand(t), 0, 0, 0, 0
		if d.Serially() {
			*d.serial.number.At(uint32(t)) = 0 // of an earlier task with this id
		}
	}
	return t
}

// moved brings the Local of t up to date after an event of t.
func (d *Detector) moved(t reach.Task) {
	if l, s := d.Local(t), d.Engine.Strand(t); s != l.Strand {
		l.Strand, l.Since = s, 0
	}
}

// End says that t made its last step.
func (d *Detector) End(t reach.Task) { d.Engine.End(t) }

// Access checks and remembers an access of t, running on the thread of p, to
// size bytes from addr. made is what the host knows of it: all but its strand and what
// follows from that. pc is where, for the thread's memos.
func (d *Detector) Access(p *Proc, t reach.Task, addr, size, pc uintptr, made *shadow.Access) shadow.Outcome {
	if d.NoHistory {
		return shadow.Outcome{}
	}
	a := d.ask(p, t, addr, pc, made)
	if !d.Serially() {
		l := d.learned.At(uint32(t))
		a.Learned, a.Taught, a.Loose = l.all+1, l.certain+1, !d.NoMoves
	}
	out := d.History.Access(addr, size, a, p)
	if out.Full {
		d.tellFull(a)
	}
	if out.Reader != 0 && !d.NoMoves && !p.Uncounted {
		*p.seat(pc, a.Context) = seat{a.Strand, pc, a.Context, out.Reader}
	}
	if out.Uniform && shadow.IsJournal(out.After) && !a.Op.Atomic() && !d.NoMoves && !p.Uncounted {
		*p.spot(p.query.place()) = spot{p.query.place(), a.Context, a.Place, a.Site}
	}
	return out
}

// ask makes p ready to answer for an access of t, which it returns. What was stored by fields
// just now is copied by fields: larger loads would have to wait for those stores.
func (d *Detector) ask(p *Proc, t reach.Task, addr, pc uintptr, made *shadow.Access) *shadow.Access {
	l := d.Local(t)
	d.begins(p, l)
	q := &p.query
	a := &q.access
	a.Strand, a.Locks, a.Since, a.Learned, a.Taught, a.Loose, a.Lent, a.Brief, a.Header = l.Strand, l.Locks, l.Since, 0, 0, false, false, l.brief, made.Header
	a.Count = uint32(p.counts(l) - l.counted)
	a.Place, a.Context, a.Site, a.Op = made.Place, made.Context, made.Site, made.Op
	q.task, q.pc = t, pc
	q.at(addr)
	p.Checked++
	if p.kept {
		p.forgetOthers(a.Strand)
	}
	return a
}

// begins notes that the current strand of l's task makes an access, on the thread of p.
//
//go:nosplit
func (d *Detector) begins(p *Proc, l *Local) {
	if l.Since == 0 {
		l.Since = d.History.Now()
		// Those that another thread counted, or for another task, make this a number too
		// large, and now and then one too small, which costs some memory.
		n := p.counts(l)
		l.brief, l.counted = n-l.counted <= briefStrand, n
	}
}

// counts is how many accesses were counted by p or for l's task.
//
//go:nosplit
func (p *Proc) counts(l *Local) uint64 {
	return p.Accesses[0] + p.Accesses[1] + l.Accesses[0] + l.Accesses[1]
}

// tellFull tells the host, once, that not everything could be remembered.
func (d *Detector) tellFull(a *shadow.Access) {
	if offheap.CAS32(&d.full, 0, 1) {
		d.host.HistoryFull(*a)
	}
}

// Forget drops accesses and synchronisation objects of memory that is new or
// gone.
func (d *Detector) Forget(addr, size uintptr) {
	if !d.NoHistory {
		d.History.Forget(addr, size)
	}
	d.forgetObjects(addr, size)
}
