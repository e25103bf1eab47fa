package event

// objects are the synchronisation objects of a judged program, by address: what each
// holds, as the releases that it is made of.
type objects struct {
	at       map[uint64]*object
	pages    map[uint64][]uint64 // addresses of objects, by page
	releases uint64              // made so far
}

// object holds releases, oldest first. A task that takes them takes only those that it has not
// taken from here before, and that are not its own.
type object struct {
	held    []release
	seen    map[uint32]uint64 // by task: the number up to which it has taken all
	compact int               // length after the last look for releases that others imply
}

// release is what a task did up to a moment. Numbers grow with time.
type release struct {
	number  uint64
	task    uint32
	promise uint32 // that stands for it in the trace, 0 for none
	empty   bool   // the task had made no access yet, and taken nothing
}

const pageBits = 12

func newObjects() objects {
	return objects{at: make(map[uint64]*object), pages: make(map[uint64][]uint64)}
}

func (o *objects) of(addr uint64) *object {
	ob := o.at[addr]
	if ob == nil {
		ob = new(object)
		o.at[addr] = ob
		o.pages[addr>>pageBits] = append(o.pages[addr>>pageBits], addr)
	}
	return ob
}

// acquire tells f of what task takes from the object at addr.
func (o *objects) acquire(addr uint64, task uint32, f func(release)) {
	if ob := o.at[addr]; ob != nil {
		ob.take(task, f)
	}
}

func (ob *object) take(task uint32, f func(release)) {
	n := len(ob.held)
	if n == 0 {
		return
	}
	seen := ob.seen[task]
	first := n
	for first > 0 && ob.held[first-1].number > seen {
		first--
	}
	for _, r := range ob.held[first:] {
		if r.task != task {
			f(r)
		}
	}
	if ob.seen == nil {
		ob.seen = make(map[uint32]uint64)
	}
	ob.seen[task] = ob.held[n-1].number
}

// replace makes r all that the object holds.
func (ob *object) replace(r release) {
	ob.held = append(ob.held[:0], r)
	ob.seen, ob.compact = nil, 0
}

// merge adds r. Releases that it implies are dropped in time: older ones of the same task.
func (ob *object) merge(r release) {
	if n := len(ob.held); n > 0 && ob.held[n-1].task == r.task {
		ob.held = ob.held[:n-1]
	}
	ob.held = append(ob.held, r)
	if len(ob.held) < 2*ob.compact+16 {
		return
	}
	newest := make(map[uint32]uint64)
	for _, h := range ob.held {
		newest[h.task] = h.number
	}
	kept := ob.held[:0]
	for _, h := range ob.held {
		if newest[h.task] == h.number {
			kept = append(kept, h)
		}
	}
	ob.held, ob.compact = kept, len(kept)
}

// forget drops the objects in memory that is new or gone.
func (o *objects) forget(addr, size uint64) {
	inPages(o.pages, addr, size, func(page uint64, addrs []uint64) {
		kept := addrs[:0]
		for _, a := range addrs {
			if a-addr < size {
				delete(o.at, a)
			} else {
				kept = append(kept, a)
			}
		}
		if o.pages[page] = kept; len(kept) == 0 {
			delete(o.pages, page)
		}
	})
}

// inPages tells f of the elements for pages that have bytes from addr on; f may delete them.
func inPages[T any](pages map[uint64]T, addr, size uint64, f func(page uint64, t T)) {
	if size == 0 {
		return
	}
	first, last := addr>>pageBits, (addr+size-1)>>pageBits
	if last-first < uint64(len(pages)) {
		for page := first; page <= last; page++ {
			if t, ok := pages[page]; ok {
				f(page, t)
			}
		}
		return
	}
	for page, t := range pages {
		if page-first <= last-first {
			f(page, t)
		}
	}
}

// lines are the memory that has been accessed, in lines of 64 bytes: a bit each, by page.
type lines map[uint64]uint64

// mask is the bits of the lines of a page that have bytes from addr on.
func (l lines) mask(page, addr, size uint64) uint64 {
	lo, last := max(addr, page<<pageBits), min(addr+size-1, page<<pageBits|(1<<pageBits-1))
	first, n := lo>>6&63, last>>6-lo>>6+1
	return (1<<n - 1) << first
}

func (l lines) touch(addr, size uint64) {
	for page := addr >> pageBits; page <= (addr+size-1)>>pageBits; page++ {
		l[page] |= l.mask(page, addr, size)
	}
}

// forget reports whether any of the memory has been accessed, and forgets the lines that
// are all new.
func (l lines) forget(addr, size uint64) (touched bool) {
	inPages(l, addr, size, func(page, bits uint64) {
		mask := l.mask(page, addr, size)
		touched = touched || bits&mask != 0
		if mask == ^uint64(0) {
			delete(l, page)
		}
	})
	return touched
}
