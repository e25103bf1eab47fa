//go:build judged

package runtime

import (
	"github.com/detrace/detrace/detect/engines"
	"github.com/detrace/detrace/internal/offheap"
	"github.com/detrace/detrace/internal/record"
	"github.com/detrace/detrace/reach"
	"github.com/detrace/detrace/shadow"
	"internal/runtime/atomic"
	"internal/stringslite"
	"unsafe"
)

const (
	detreasonlock    = record.ReasonLockOrder
	detreasonatomic  = record.ReasonAtomic
	detreasonselect  = record.ReasonSelect
	detreasonchan    = record.ReasonChannelOrder
	detreasonhistory = record.ReasonHistoryFull
	detreasonfirst   = record.ReasonFirstCaller
	detreasonio      = record.ReasonIOOrder
	detreasonend     = record.ReasonEndOrder
)

// detfilesize is the size of a file of records that this program makes itself.
const detfilesize = 64 << 20

// detout is what was found and where it goes.
var detout struct {
	writer   record.Writer
	base     unsafe.Pointer // of the mapped file
	fd       int32          // kept only for a file made here, to cut it at the end
	quiet    bool           // somebody else reads the records and prints
	observed bool           // only races count, not what the schedule decided
	tests    bool           // who reads the records says which test raced
	engine   engines.ID     // for serial runs of tasks; 0 if nobody asked for one
	config   uint32         // what is left out of judging, for measurements

	exchanged uint32 // it is on record why another engine took over
	classes   offheap.Table[uint8]

	lock     offheap.Lock // guards index
	index    record.Index
	races    uint32 // distinct pairs
	reasons  uint32
	finished uint32
}

// detoutinit reads detrace's variables from the environment, takes those about
// this run out of what the program will see, and maps the file of records.
func detoutinit() {
	detout.index.Init()
	detout.fd = -1
	path := unsafe.Pointer(nil)
	kept := int32(0)
	for i := int32(0); ; i++ {
		s := argv_index(argv, argc+1+i)
		if s == nil {
			*detenvslot(kept) = nil
			break
		}
		switch v := gostringnocopy(s); {
		case stringslite.HasPrefix(v, "DETRACE_RECORDS="):
			path = unsafe.Pointer(unsafe.StringData(v[len("DETRACE_RECORDS="):]))
		case stringslite.HasPrefix(v, "DETRACE_TRACE="):
			dettracestart(unsafe.StringData(v[len("DETRACE_TRACE="):]))
		case stringslite.HasPrefix(v, "DETRACE_COSTS="):
			detcoststart(unsafe.StringData(v[len("DETRACE_COSTS="):]))
		case v == "DETRACE_QUIET=1":
			// The program's children inherit it: they are not judged, and what
			// they print is not ours to add to.
			detout.quiet = true
			*detenvslot(kept) = s
			kept++
		case v == "DETRACE_TEST=1":
			detout.tests = true
		case v == "DETRACE_EDGES=observed":
			detout.observed = true
			det.Observed = true
		case stringslite.HasPrefix(v, "DETRACE_ENGINE="):
			if detout.engine = engines.Named(v[len("DETRACE_ENGINE="):]); detout.engine == 0 {
				print("detrace: there is no engine ", v[len("DETRACE_ENGINE="):], " (DETRACE_ENGINE) that can run in this program\n")
				exit(1)
			}
		case stringslite.HasPrefix(v, "DETRACE_CONFIG="):
			detconfigure(v[len("DETRACE_CONFIG="):])
		default:
			*detenvslot(kept) = s
			kept++
		}
	}
	if path != nil {
		detmap((*byte)(path))
	}
	detout.writer.Header64(record.OffStart, uint64(nanotime()))
	detout.writer.Header32(record.OffConfig, detout.config)
}

// detconfigure leaves out a part of judging.
func detconfigure(name string) {
	switch name {
	case "full":
		return
	case "reach":
		detout.config = record.ConfigReach
	case "instr":
		detout.config = record.ConfigInstr
	default:
		print("detrace: there is no configuration ", name, " (DETRACE_CONFIG): full, reach and instr are\n")
		exit(1)
	}
	det.NoHistory = true
	detheapstart, detdatasize = ^uintptr(0), 0 // no address has that: all hooks go to detaccess
}

func detenvslot(i int32) **byte {
	return (**byte)(unsafe.Add(unsafe.Pointer(argv), uintptr(argc+1+i)*8))
}

// detmap maps the file of records, so that what is written there survives any
// end of this process, and needs no file descriptor while it runs.
func detmap(path *byte) {
	const ordwr, ocreat, otrunc, ocloexec = 0x2, 0x40, 0x200, 0x80000
	fd := open(path, ordwr|ocreat|otrunc|ocloexec, 0o644)
	if fd < 0 {
		detfail("cannot open the file of records named by DETRACE_RECORDS", path)
	}
	if _, errno := detsyscall(77 /* ftruncate */, uintptr(fd), detfilesize, 0, 0, 0, 0); errno != 0 {
		detfail("cannot make room in the file of records named by DETRACE_RECORDS", path)
	}
	p, err := mmap(nil, detfilesize, _PROT_READ|_PROT_WRITE, 1 /* MAP_SHARED */, fd, 0)
	if err != 0 {
		detfail("cannot map the file of records named by DETRACE_RECORDS", path)
	}
	closefd(fd)
	detout.base = p
	detout.writer.Init(p, detfilesize)
}

func detfail(what string, path *byte) {
	print("detrace: ", what, ": ", gostringnocopy(path), "\n")
	exit(1)
}

// detfirst counts an occurrence of (kind, a, b), and reports whether it is the first. e is nil
// when there is no room to tell; the file says so.
func detfirst(kind uint32, a, b uint64) (e *record.Entry, first bool) {
	detout.lock.Lock()
	e, seen := detout.index.Find(kind, a, b)
	detout.lock.Unlock()
	if e == nil {
		detout.writer.Drop()
		return nil, false
	}
	e.Count()
	return e, !seen
}

func detfoundrace(addr uintptr, first, second shadow.Access) *record.Entry {
	return detfoundpair(record.KindRace, &detout.races, addr, first, second)
}

// detfoundluck is told of a conflict that only this schedule ordered. What happens inside
// of the library, in an order that is its own business, is no luck. Nor is what the
// runtime does when a timer runs out.
func detfoundluck(addr uintptr, first, second shadow.Access) *record.Entry {
	two := detfull(second)
	if *detexpired.At(uint32(first.Strand.Task()))|*detexpired.At(uint32(second.Strand.Task())) != 0 || detinlibrary(two) && detinlibrary(detfull(first)) &&
		det.LibraryOrders(first.Strand, second.Strand.Task(), detcallkey(two)) {
		return nil
	}
	return detfoundpair(record.KindLuck, &detout.reasons, addr, first, second)
}

// detfoundpair records a pair once for its stacks, counting the pairs in count.
func detfoundpair(kind uint32, count *uint32, addr uintptr, first, second shadow.Access) *record.Entry {
	one, two := detfull(first), detfull(second)
	ops := uint64(first.Op)<<8 | uint64(second.Op)
	ops |= detscopepair(first, second) << 16
	e, isnew := detfirst(kind, uint64(one)<<32|uint64(two), ops)
	if e == nil {
		atomic.Cas(count, 0, 1) // the verdict stands
	}
	if !isnew {
		return e
	}
	atomic.Xadd(count, 1)
	base, size := uintptr(0), uintptr(0)
	if addr >= detheaplo {
		if b, span, _ := findObject(addr, 0, 0); b != 0 {
			base, size = b, span.elemsize
		}
	}
	detputtask(first.Strand.Task())
	detputtask(second.Strand.Task())
	detputstack(one)
	detputstack(two)
	detwatchpair(kind, addr, first, second)
	w := &detout.writer
	w.Begin(kind)
	w.U64(1)
	w.U64(uint64(addr))
	w.U64(uint64(base))
	w.U64(uint64(size))
	w.U32(detscopeof(first.Strand))
	w.U32(detscopeof(second.Strand))
	detputaccess(first, one)
	detputaccess(second, two)
	detplace(e, w.End())
	if !detout.quiet {
		detprintpair(kind, addr, first, second)
	}
	return e
}

// detplace lets the occurrences of e be counted in its record.
func detplace(e *record.Entry, payload unsafe.Pointer) {
	if payload != nil {
		e.Place((*uint64)(payload))
	}
}

// dettasknumber is what people see of a task: 1 for the main goroutine, then in
// order of creation; 0 for the root task, which runs nothing.
func dettasknumber(t reach.Task) uint32 { return det.Engine.Serial(t) - 1 }

func detputaccess(a shadow.Access, stack uint32) {
	w := &detout.writer
	w.U32(dettasknumber(a.Strand.Task()))
	w.U32(a.Strand.Index())
	w.U32(uint32(a.Op))
	w.U32(stack)
}

// detputtask writes the records of t and its ancestors, each once.
func detputtask(t reach.Task) {
	for t != det.Engine.Root() {
		if _, first := detfirst(record.KindTask, uint64(dettasknumber(t)), 0); !first {
			return
		}
		parent, fork := det.Engine.Parent(t)
		stack := det.Engine.ForkStack(t)
		detputstack(stack)
		w := &detout.writer
		w.Begin(record.KindTask)
		w.U32(dettasknumber(t))
		w.U32(dettasknumber(parent))
		w.U32(fork)
		w.U32(stack)
		w.End()
		t = parent
	}
}

// detputstack writes the record of a stack, once.
func detputstack(stack uint32) {
	if stack == 0 {
		return
	}
	if _, first := detfirst(record.KindStack, uint64(stack), 0); !first {
		return
	}
	w := &detout.writer
	w.Begin(record.KindStack)
	w.U32(stack)
	w.U32(0)
	n := uint32(0)
	var u detunwinder
	for u.init(stack); u.next(); n++ {
		f := &u.frame
		w.U32(uint32(f.line))
		w.U32(uint32(f.start))
		flags := uint32(0)
		if f.std {
			flags = record.FrameStd
		}
		w.U32(flags)
		w.U16(uint16(len(f.fn)))
		w.U16(uint16(len(f.file)))
		w.Text(f.fn)
		w.Text(f.file)
	}
	w.Patch32(12, n)
	w.End()
}

// detreason records why this run cannot be certified, in the scope of the running goroutine.
func detreason(code, stack, stack2 uint32) { detreasonin(detscopehere(), code, stack, stack2) }

// detreasonin does so once per scope and pair of places.
func detreasonin(scope, code, stack, stack2 uint32) {
	if detout.observed || detout.config != record.ConfigFull {
		return
	}
	e, isnew := detfirst(record.KindReason|scope<<8, uint64(code)|uint64(stack2)<<32, uint64(stack))
	if e == nil {
		atomic.Cas(&detout.reasons, 0, 1)
	}
	if !isnew {
		return
	}
	atomic.Xadd(&detout.reasons, 1)
	detputstack(stack)
	detputstack(stack2)
	w := &detout.writer
	w.Begin(record.KindReason)
	w.U64(1)
	w.U32(code)
	w.U32(stack)
	w.U32(stack2)
	w.U32(scope)
	detplace(e, w.End())
	detwatchreason(scope, code, stack)
	if !detout.quiet {
		detprintreason(code, stack)
	}
}

// detexit is called by the runtime when the program ends with an exit code.
func detexit(code int) {
	systemstack(func() { racecall(detop_exit, uintptr(code), 0, 0, 0) })
}

// detfinish completes the file of records and prints the verdict, once. A
// program that runs on its own exits with detrace's code when it raced.
func detfinish(code int32) {
	if !atomic.Cas(&detout.finished, 0, 1) {
		return
	}
	if detcosts.On() {
		dethalted(0)
	}
	w := &detout.writer
	reads, writes, checked := det.Counts()
	w.Header64(record.OffTasks, uint64(det.Engine.Started()-1-det.Ran()))
	w.Header64(record.OffReads, reads)
	w.Header64(record.OffWrites, writes)
	w.Header64(record.OffChecked, checked)
	w.Header64(record.OffStates, det.History.States())
	w.Header64(record.OffBytes, det.Engine.Bytes()+det.OrderBytes()+det.History.Bytes()+detstacks.Bytes())
	shadow, shadowed := det.History.Shadow()
	w.Header64(record.OffShadow, shadow)
	w.Header64(record.OffShadowed, shadowed)
	waits, retries, queued := det.Contention()
	w.Header64(record.OffWaits, waits)
	w.Header64(record.OffRetries, retries)
	w.Header64(record.OffQueued, queued)
	w.Header64(record.OffEnd, uint64(nanotime()))
	w.Header32(record.OffProcs, uint32(gomaxprocs))
	refused := detengines()
	w.Header32(record.OffExitCode, uint32(code))
	w.Header32(record.OffState, record.StateFinished)
	if detout.quiet || refused {
		return
	}
	detprintverdict(code)
	if detout.races > 0 {
		exit(3)
	}
}
