//go:build judged

package runtime

import (
	"github.com/detrace/detrace/detect"
	"github.com/detrace/detrace/internal/offheap"
	"github.com/detrace/detrace/internal/rawtrace"
	"github.com/detrace/detrace/reach"
	"github.com/detrace/detrace/shadow"
	"internal/runtime/atomic"
	"unsafe"
)

// The operations behind racecall: what race.go and race_amd64.s ask of a race
// runtime, plus the slow paths of detrace's own hooks.
const (
	detop_init = iota
	detop_fini
	detop_proc_create
	detop_proc_destroy
	detop_map_shadow
	detop_finalizer_goroutine
	detop_go_start
	detop_go_end
	detop_malloc
	detop_free
	detop_acquire
	detop_release
	detop_release_acquire
	detop_release_merge
	detop_go_ignore_sync_begin
	detop_go_ignore_sync_end
	detop_report_count
	detop_read
	detop_write
	detop_read_pc
	detop_write_pc
	detop_read_range
	detop_write_range
	detop_func_enter
	detop_func_exit
	detop_exit
	detop_end
	detop_select
	detop_tried
	detop_chan
	detop_pass
	detop_construct
	detop_scope
	detop_loop
	detop_parallel
	detop_path
	detop_go_atomic32_load
	detop_go_atomic64_load
	detop_go_atomic32_store
	detop_go_atomic64_store
	detop_go_atomic32_exchange
	detop_go_atomic64_exchange
	detop_go_atomic32_fetch_add
	detop_go_atomic64_fetch_add
	detop_go_atomic32_fetch_and
	detop_go_atomic64_fetch_and
	detop_go_atomic32_fetch_or
	detop_go_atomic64_fetch_or
	detop_go_atomic32_compare_exchange
	detop_go_atomic64_compare_exchange
)

// det judges this program.
var det detect.Detector

// In race builds the runtime keeps the heap in this range.
const (
	detheaplo   = 0x00c0 << 32
	detheapsize = 0x0020 << 32
)

// detcall is what racecall<> calls: on g0 and as g0, for gp, whose frame pointer
// was bp. The subject of an event is the task in the racectx argument, which
// need not be gp's: channels hand over on behalf of a parked goroutine.
func detcall(op, a0, a1, a2, a3, bp uintptr, gp *g) {
	switch op {
	case detop_init:
		detinit((*uintptr)(unsafe.Pointer(a0)), (*uintptr)(unsafe.Pointer(a1)))
		return
	case detop_fini:
		detfinish(0)
		exit(0)
	case detop_exit:
		detfinish(int32(a0))
		return
	case detop_proc_create:
		*(*uintptr)(unsafe.Pointer(a0)) = detnewproc()
		return
	case detop_map_shadow, detop_proc_destroy:
		return
	case detop_report_count:
		if !detout.tests {
			*(*uint64)(unsafe.Pointer(a0)) = uint64(atomic.Load(&detout.races))
		}
		return
	case detop_go_ignore_sync_begin:
		det.Local(reach.Task(a0)).Ignore++
		return
	case detop_go_ignore_sync_end:
		det.Local(reach.Task(a0)).Ignore--
		return
	case detop_path:
		p := detproc()
		detpath(p, gp, reach.Task(a0), a3, detcountedat(p, a1))
		return
	case detop_read_pc, detop_write_pc:
		if !det.HasPlace(a1+detopens) && detrangequick(reach.Task(a0), gp, uintptr(op-detop_read_pc), a1, 1, a3, bp) {
			return
		}
	case detop_read_range, detop_write_range:
		if detrangequick(reach.Task(a0), gp, uintptr(op-detop_read_range), a1, a2, a3, bp) {
			return
		}
	}
	p := detproc()
	det.Enter(p)
	detevent(p, op, a0, a1, a2, a3, bp, gp)
	det.Leave(p)
}

func detevent(p *detect.Proc, op, a0, a1, a2, a3, bp uintptr, gp *g) {
	t := reach.Task(a0)
	switch op {
	case detop_scope:
		detscope(p, t, (*detscopecall)(unsafe.Pointer(a1)), gp, bp)
		return
	case detop_chan:
		if receiver := (*g)(unsafe.Pointer(a1)); receiver != nil {
			detchanend(p, (*hchan)(unsafe.Pointer(a0)), receiver, gp, bp)
		} else {
			detchanasked(p, (*hchan)(unsafe.Pointer(a0)), gp, bp)
		}
		return
	case detop_pass:
		detpassed(p, (*hchan)(unsafe.Pointer(a0)), uint(a1), (*g)(unsafe.Pointer(a2)), (*g)(unsafe.Pointer(a3)), gp, bp)
		return
	case detop_go_start:
		if a0&detheir != 0 {
			*(*uintptr)(unsafe.Pointer(a1)) = a0 &^ detheir
			return
		}
		*(*uintptr)(unsafe.Pointer(a1)) = uintptr(detfork(p, t, a2))
		return
	case detop_malloc:
		dettracealloc(a2, a3)
		det.Forget(a2, a3)
		detallocates(a2)
		return
	case detop_free:
		dettracealloc(a0, a1)
		det.Forget(a0, a1)
		return
	}
	if t == 0 {
		switch {
		case op >= detop_go_atomic32_load:
			detatomic(op, a3)
		case op == detop_release_merge && detofpool(a1):
			detpooled(0, a1-1) // what is not seen hands on all the same
		}
		return
	}
	switch op {
	case detop_acquire, detop_release, detop_release_acquire, detop_release_merge:
		if det.Serially() && isSystemGoroutine(gp, false) {
			return // who happens to start a garbage collection is no order of tasks
		}
	}
	switch op {
	case detop_go_end:
		dettracetask(rawtrace.Ended, t, 0)
		detborrowings.end(t)
		det.End(t)
		detsoleended(t)
	case detop_finalizer_goroutine:
		detscopeleave(t) // that of the test that happened to need a finalizer first
		atomic.Store(&detsoles.more, 1)
		detacquireall(t)
	case detop_acquire:
		s := detsyncat(p, t, gp, bp, detedgeunknown)
		if s.acquire(a1) {
			detexchange(p, t, 0, gp, bp)
		}
	case detop_release:
		s := detsyncat(p, t, gp, bp, detedgeunknown)
		s.releasing(a1, false)
		detrelease(t, a1)
		s.released(a1)
	case detop_release_acquire:
		s := detsyncat(p, t, gp, bp, detedgeunknown)
		s.exchange(a1)
		detexchange(p, t, 0, gp, bp)
	case detop_release_merge:
		s := detsyncat(p, t, gp, bp, detedgeunknown)
		s.releasing(a1, true)
		detreleasemerge(t, a1)
		s.released(a1)
	case detop_read:
		detslow(p, t, gp, shadow.Read, a1, a2, a3)
	case detop_write:
		detslow(p, t, gp, shadow.Write, a1, a2, a3)
	case detop_read_pc:
		detheader(p, t, gp, shadow.Read, a1, a3, bp)
	case detop_write_pc:
		detheader(p, t, gp, shadow.Write, a1, a3, bp)
	case detop_read_range:
		detrange(p, t, gp, shadow.Read, a1, a2, a3, bp)
	case detop_write_range:
		detrange(p, t, gp, shadow.Write, a1, a2, a3, bp)
	case detop_select:
		detselected(p, gp, bp)
	case detop_end:
		detended(p, t, a1 != 0, uint32(a2), gp, bp)
	case detop_tried:
		dettried(p, t, gp, a1, a2 != 0, bp)
	case detop_loop:
		detloop(p, t, gp, (*detlooped)(unsafe.Pointer(a1)), a3)
	case detop_parallel:
		detparallel(p, t, a1 != 0, gp, bp)
	case detop_construct:
		detconstruct(p, t, (*detconstructed)(unsafe.Pointer(a1)), gp, bp)
	default:
		detsync(p, t, gp, op, a1, a3, bp)
	}
}

// detinit makes the detector ready: the first call into it, before the heap
// exists.
func detinit(gctx, pctx *uintptr) {
	offheap.Host.Mmap = func(addr, n uintptr) uintptr {
		p, err := mmap(unsafe.Pointer(addr), n, _PROT_READ|_PROT_WRITE, _MAP_ANON|_MAP_PRIVATE|detnoreserve, -1, 0)
		if err != 0 {
			return 0
		}
		return uintptr(p)
	}
	offheap.Host.Discard = func(addr, n uintptr) { madvise(unsafe.Pointer(addr), n, _MADV_DONTNEED) }
	offheap.Host.Huge = func(addr, n uintptr) { madvise(unsafe.Pointer(addr), n, _MADV_HUGEPAGE) }
	offheap.Host.Yield = osyield
	offheap.Host.Rest = func() { usleep(10) }
	offheap.Host.Fence = func() bool { return detmembarrier(detmembarrierall) }
	if !detmembarrier(detmembarrierregister) {
		offheap.Host.Fence = func() bool { return false }
	}
	offheap.Host.Fatal = func(msg string) {
		print("detrace: ", msg, "\n")
		exit(1)
	}
	lo, hi := detdatabounds()
	host := detect.Host{Race: detfoundrace, Luck: detfoundluck, HandedOn: dethandedon, Unordered: detfoundunordered, Crowded: dethistoryfull, HistoryFull: dethistoryfull, Sole: detsole}
	det.Init(host, detheaplo, detheapsize, lo, hi-lo)
	detlocals = uintptr(unsafe.Pointer(det.Local(0)))
	detblocks = uintptr(det.History.Blocks())
	detlines = detlinesat0(&det.History.Windows[0])
	detdatalines, detdatastart, detdatasize = detlinesat0(&det.History.Windows[1]), lo, hi-lo
	detstacks.Init(detdescribe, detfirstpc)
	detout.classes.Init(1 << 27)
	detedgesinit()
	detsolesinit()
	startingStackSize = detstack
	detoutinit()
	// The root task is the context of m0's g0, the parent of the main goroutine.
	*gctx = uintptr(det.Engine.Root())
	*pctx = detnewproc()
}

// detlinesat0 is where the line of address 0 would be, were it in w.
func detlinesat0(w *shadow.Window) uintptr {
	return uintptr(w.Lines()) - w.Lo>>detlineshift*8
}

// detmembarrier is membarrier(2) with one of its commands, and whether the system, or the
// sandbox, has it.
func detmembarrier(command uintptr) bool {
	_, errno := detsyscall(324, command, 0, 0, 0, 0, 0)
	return errno == 0
}

// What membarrier is told: to let all threads of this process pass a barrier, after the
// process has said once that it may want that.
const (
	detmembarrierall      = 1 << 3
	detmembarrierregister = 1 << 4
)

const detnoreserve = 0x4000 // MAP_NORESERVE

// detstack is what the runtime starts goroutines with, new ones by an edit of package
// instrument, until a garbage collection tells it better. With the smallest stack, and frames
// that have hooks, most had to grow first: a fifth of what a small goroutine cost.
const detstack = 2 * fixedStack

// detdensesize is the part of the heap, its start, for which huge pages are asked.
const detdensesize = 64 << 20

// detdensify asks for huge pages for what the heap grows by, near its start, before anything
// is there. Hooks read before the program writes, and a page that is first read and then
// written costs two faults, the second of which interrupts all processors.
func detdensify(addr, size uintptr) {
	if addr-detheaplo < detdensesize {
		madvise(unsafe.Pointer(addr), min(size, detheaplo+detdensesize-addr), _MADV_HUGEPAGE)
	}
}

// detdatabounds is the range of the program's global variables, on whole chunks.
func detdatabounds() (lo, hi uintptr) {
	m := &firstmoduledata
	lo = min(m.noptrdata, m.data, m.noptrbss, m.bss)
	hi = max(m.enoptrdata, m.edata, m.enoptrbss, m.ebss)
	return alignDown(lo, 4096), alignUp(hi, 4096)
}

func detnewproc() uintptr {
	p := det.NewProc()
	if p == nil {
		throw("detrace: too many Ps")
	}
	return uintptr(unsafe.Pointer(p))
}

// detproc is the context of this thread's P, or nil where it has none or may be
// about to lose it.
func detproc() *detect.Proc {
	mp := getg().m
	if mp.p == 0 || mp.curg != nil && mp.curg.syscallsp != 0 {
		return nil
	}
	return (*detect.Proc)(unsafe.Pointer(mp.p.ptr().raceprocctx))
}

// detrootlock lets several threads fork from the root task.
var detrootlock offheap.Lock

// detfork starts a task. The root task runs nothing: it is the parent of the main
// goroutine, and of the timers' tasks, which the scheduler starts for nobody.
func detfork(p *detect.Proc, parent reach.Task, pc uintptr) reach.Task {
	stack := uint32(0)
	if gp := getg().m.curg; gp != nil && p != nil {
		stack = uint32(detwalk(p, gp, pc, detcallerof(gp, pc)))
	} else if pc != 0 {
		stack = uint32(detstacks.Call(0, pc))
	}
	root := det.Engine.Root()
	if parent == 0 || parent == root {
		detrootlock.Lock()
		parent = root
	}
	t := det.Fork(parent, stack)
	if t != 0 {
		dettracetask(rawtrace.Go, parent, t)
		detscopefork(parent, t)
		detsoleforked(parent, t, stack)
		detexpires(parent, t)
		if det.LibraryCalls(parent) && detinlibrary(stack) {
			det.LibraryForks(parent, detcallkey(stack), t, detcallkey(0))
		}
	}
	if parent == root {
		detrootlock.Unlock()
	}
	if t == 0 {
		throw("detrace: more goroutines alive or remembered than the detector has room for")
	}
	return t
}

// detcallerof is the frame pointer of the function that pc, a return address on
// the stack of gp, is in; gp is on the system stack since.
func detcallerof(gp *g, pc uintptr) uintptr {
	bp := gp.sched.bp
	for bp >= gp.stack.lo && bp < gp.stack.hi-16 {
		ret := *(*uintptr)(unsafe.Pointer(bp + 8))
		next := *(*uintptr)(unsafe.Pointer(bp))
		if ret == pc || next <= bp {
			return next
		}
		bp = next
	}
	return 0
}
