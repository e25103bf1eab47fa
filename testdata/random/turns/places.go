package main

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// An object is one variable of each kind, of which one is used.
type object struct {
	places []place

	mu   sync.Mutex
	rw   sync.RWMutex
	n    int // guarded by either
	word atomic.Int64
	bits atomic.Uint32
	once sync.Once
	line chan int
}

// A place is where an object is used.
type place struct {
	use         func(o *object)
	does        int
	commutative bool
}

const (
	takes  = iota // a lock, for writing
	shares        // for reading
	tries
	triesToShare
	writes
	reads
	adds // and does not look at the sum
	first
	second
	sends
)

// callsOnce reports whether only the first use of an object at such places does something.
func (p place) callsOnce() bool { return p.does == first || p.does == second }

// unordered is the reason that two uses of one object in no certain order are, "" if none.
func unordered(a, b place) string {
	if a.commutative && b.commutative {
		return ""
	}
	does := func(x, y int) bool { return a.does == x && b.does == y || a.does == y && b.does == x }
	reader := func(x int) bool { return x == shares || x == triesToShare }
	switch {
	case a.does <= triesToShare:
		if reader(a.does) && reader(b.does) {
			return ""
		}
		return "lock-order"
	case a.does <= adds:
		if does(reads, reads) || does(adds, adds) {
			return ""
		}
		return "atomic"
	case a.callsOnce():
		if a.does == b.does {
			return ""
		}
		return "first-caller"
	}
	return "channel-order"
}

// kinds are the places for each kind of object. Several have all of an operation on one line.
var kinds = [][]place{{
	{func(o *object) { o.mu.Lock(); o.n++; o.mu.Unlock() }, takes, false},
	{func(o *object) { o.mu.Lock(); defer o.mu.Unlock(); o.n++ }, takes, false},
	{locked, takes, false},
	{func(o *object) { o.mu.Lock(); o.n++; o.mu.Unlock() }, takes, true}, //detrace:commutative 1
	{func(o *object) { o.mu.Lock(); o.n++; o.mu.Unlock() }, takes, true}, //detrace:commutative 2
	{func(o *object) { o.mu.Lock(); o.n++; o.mu.Unlock() }, takes, true}, //detrace:commutative 3
	{func(o *object) { o.mu.Lock(); o.n++; o.mu.Unlock() }, takes, true}, //detrace:commutative 4
	{lockedDeclared, takes, true},
}, {
	{locked, takes, false},
	{lockedDeclared, takes, true},
	{tried, tries, false},
	{triedDeclared, tries, true},
}, {
	{func(o *object) { o.rw.Lock(); o.n++; o.rw.Unlock() }, takes, false},
	{func(o *object) { o.rw.RLock(); _ = o.n; o.rw.RUnlock() }, shares, false},
	{shared, shares, false},
	{func(o *object) { o.rw.RLocker().Lock(); _ = o.n; o.rw.RLocker().Unlock() }, shares, false},
	{func(o *object) { o.rw.Lock(); o.n++; o.rw.Unlock() }, takes, true},      //detrace:commutative 1
	{func(o *object) { o.rw.Lock(); o.n++; o.rw.Unlock() }, takes, true},      //detrace:commutative 2
	{func(o *object) { o.rw.RLock(); _ = o.n; o.rw.RUnlock() }, shares, true}, //detrace:commutative 3
	{func(o *object) { o.rw.RLock(); _ = o.n; o.rw.RUnlock() }, shares, true}, //detrace:commutative 4
}, {
	{func(o *object) { o.rw.RLock(); _ = o.n; o.rw.RUnlock() }, shares, false},
	{triedToWrite, tries, false},
	{triedToRead, triesToShare, false},
	{shared, shares, false},
}, {
	{func(o *object) { o.rw.RLock(); _ = o.n; o.rw.RUnlock() }, shares, false},
	{triedToRead, triesToShare, false},
	{shared, shares, false},
	{func(o *object) { o.rw.Lock(); o.n++; o.rw.Unlock() }, takes, false},
}, {
	{func(o *object) { o.once.Do(func() { o.n = 1 }); _ = o.n }, first, false},
	{func(o *object) { o.once.Do(func() { o.n = 2 }); _ = o.n }, second, false},
}, {
	{func(o *object) { o.line <- 1 }, sends, false},
	{func(o *object) { o.line <- 2 }, sends, true}, //detrace:commutative 1
	{func(o *object) { o.line <- 3 }, sends, true}, //detrace:commutative 2
}}

// loads are such kinds where a load orders, in every schedule, what was before the store of
// what it reads. They are used alone.
var loads = [][]place{{
	{func(o *object) { o.word.Store(1); o.bits.Load() }, writes, false},
	{func(o *object) { o.word.Load() }, reads, false},
	{func(o *object) { o.word.Add(1) }, adds, false},
	{func(o *object) { o.word.Add(1) }, adds, true}, //detrace:commutative 2
	{func(o *object) { o.word.CompareAndSwap(o.word.Load(), 2) }, writes, false},
	{func(o *object) { o.word.Store(3) }, writes, true}, //detrace:commutative 3
	{func(o *object) { o.word.Store(3) }, writes, true}, //detrace:commutative 4
}, {
	{func(o *object) { o.word.Load() }, reads, false},
	{func(o *object) { o.word.Add(1); o.word.Add(2) }, adds, false},
	{func(o *object) { o.word.Add(1) }, adds, false},
}}

func locked(o *object) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.n++
	runtime.Gosched()
}

// lockedDeclared is another one.
//
//detrace:commutative 5
func lockedDeclared(o *object) {
	o.mu.Lock()
	runtime.Gosched()
	o.n++
	o.mu.Unlock()
}

func tried(o *object) {
	for range 3 {
		if o.mu.TryLock() {
			o.n++
			o.mu.Unlock()
			return
		}
	}
}

// triedDeclared does it once.
//
//detrace:commutative 6
func triedDeclared(o *object) {
	if o.mu.TryLock() {
		o.n++
		o.mu.Unlock()
	}
}

func shared(o *object) {
	o.rw.RLock()
	defer o.rw.RUnlock()
	_ = o.n
	runtime.Gosched()
}

func triedToRead(o *object) {
	if o.rw.TryRLock() {
		_ = o.n
		o.rw.RUnlock()
	}
}

func triedToWrite(o *object) {
	if o.rw.TryLock() {
		o.n++
		o.rw.Unlock()
	}
}
