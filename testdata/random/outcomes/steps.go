package main

import (
	"context"

	"github.com/detrace/detrace/task"
)

// start starts a child, which waits for its elder sibling of that index, if it is not
// negative, or gets to know it at least.
func (p *plan) start(how, elder int, body []step) step {
	return func(a *actor) {
		c := &child{done: make(chan uint64, map[int]int{byBufferedResult: 1}[how])}
		a.children = append(a.children, c)
		b := &actor{world: a.world}
		if elder >= 0 {
			b.elder = a.children[elder]
		}
		act := func() {
			for _, s := range body {
				s(b)
				rest()
			}
			c.seen = b.seen
		}
		if a.scope != nil {
			a.startTask(c, how, act)
			return
		}
		switch how {
		case byGroup:
			a.group.Go(act)
		case byAll:
			a.all.Go(act)
		case byClose:
			go func() {
				act()
				close(c.done)
			}()
		default:
			go func() {
				act()
				c.done <- b.seen
			}()
		}
	}
}

func (a *actor) startTask(c *child, how int, act func()) {
	switch how {
	case byGroup:
		a.tasks.Spawn(act)
	case byAll:
		a.scope.Async(act)
	case byResult:
		c.future = task.Create(func() uint64 {
			act()
			return c.seen
		})
	default:
		c.set = task.NewPromise[uint64]()
		a.scope.Async(func() {
			act()
			c.set.Set(c.seen)
		})
	}
}

func joinGroup(a *actor) {
	a.group.Wait()
	a.tasks.Sync()
}

func join(index, how int) step {
	return func(a *actor) { a.see(a.waitFor(a.children[index], how)) }
}

// waitFor returns what c has seen.
func (a *actor) waitFor(c *child, how int) uint64 {
	switch {
	case c.future != nil:
		return c.future.Get()
	case c.set != nil:
		return c.set.Get()
	case how == byClose:
		<-c.done
		return c.seen
	}
	return <-c.done
}

// kinds are steps by which the schedule may decide, or may not, by what they use.
var kinds = [][]func(p *plan) step{{
	func(p *plan) step {
		return func(a *actor) { a.mu.Lock(); a.shared += 3; a.mu.Unlock() }
	},
	func(p *plan) step {
		c := p.random.Uint64()
		return func(a *actor) {
			a.mu.Lock()
			defer a.mu.Unlock()
			a.shared ^= c
		}
	},
	func(p *plan) step {
		return func(a *actor) {
			a.mu.Lock()
			a.see(a.shared)
			a.mu.Unlock()
		}
	},
	func(p *plan) step {
		return func(a *actor) { a.mu.Lock(); a.total += a.seen >> 60; a.mu.Unlock() } //detrace:commutative a sum
	},
	func(p *plan) step {
		return func(a *actor) { a.mu.Lock(); a.total++; a.mu.Unlock() } //detrace:commutative a sum
	},
	func(p *plan) step {
		return func(a *actor) {
			if a.mu.TryLock() {
				a.see(1)
				a.mu.Unlock()
			}
		}
	},
}, {
	func(p *plan) step {
		return func(a *actor) { a.rw.Lock(); a.read = a.seen; a.rw.Unlock() }
	},
	func(p *plan) step {
		return func(a *actor) { a.rw.RLock(); a.see(a.read); a.rw.RUnlock() }
	},
	func(p *plan) step {
		return func(a *actor) { a.rw.RLock(); a.rw.RUnlock() }
	},
}, {
	func(p *plan) step {
		return func(a *actor) { a.word[0].Add(5) }
	},
	func(p *plan) step {
		return func(a *actor) { a.see(a.word[0].Load()) }
	},
	func(p *plan) step {
		return func(a *actor) { a.see(a.word[0].Add(1)) }
	},
	func(p *plan) step {
		c := p.random.Uint64N(4)
		return func(a *actor) { a.word[1].Store(c) }
	},
	func(p *plan) step {
		return func(a *actor) { a.word[1].CompareAndSwap(0, 7) }
	},
	func(p *plan) step {
		return func(a *actor) { a.see(a.word[1].Swap(9)) }
	},
}, {
	func(p *plan) step {
		return func(a *actor) { a.once[0].Do(func() { a.word[0].Store(11) }) }
	},
	func(p *plan) step {
		return func(a *actor) { a.once[1].Do(func() { a.made = 13 }); a.see(a.made) }
	},
	func(p *plan) step {
		return func(a *actor) { a.once[1].Do(func() { a.made = 17 }) }
	},
}, {
	func(p *plan) step {
		return func(a *actor) { a.lines[0] <- 1 }
	},
	func(p *plan) step {
		c := p.random.Uint64()
		return func(a *actor) { a.lines[0] <- c }
	},
	func(p *plan) step {
		return func(a *actor) {
			select {
			case v := <-a.lines[0]:
				a.see(v)
			default:
			}
		}
	},
	func(p *plan) step {
		return func(a *actor) {
			a.lines[1] <- a.seen
			a.see(<-a.lines[1])
		}
	},
}, {
	func(p *plan) step {
		return func(a *actor) {
			b, c := make(chan int), make(chan int, 1)
			go func() { rest(); b <- 1 }()
			go func() { rest(); c <- 2 }()
			select {
			case <-b:
				a.see(1)
				<-c
			case <-c:
				a.see(2)
				<-b
			}
		}
	},
	func(p *plan) step {
		return func(a *actor) {
			b, c := make(chan int), make(chan int, 1)
			go func() { rest(); b <- 1 }()
			go func() { rest(); c <- 2 }()
			a.see(uint64(<-b))
			a.see(uint64(<-c))
		}
	},
	func(p *plan) step {
		return func(a *actor) {
			ctx, cancel := context.WithCancel(context.Background())
			done := make(chan bool)
			x := uint64(0)
			go func() {
				<-ctx.Done()
				a.see(x)
				close(done)
			}()
			x = 19
			cancel()
			<-done
		}
	},
	func(p *plan) step {
		return func(a *actor) {
			ctx, cancel := context.WithCancel(context.Background())
			go func() { rest(); cancel() }()
			rest()
			if ctx.Err() != nil {
				a.see(1)
			}
			<-ctx.Done()
		}
	},
}, {
	func(p *plan) step {
		c := p.random.Uint64N(3)
		return func(a *actor) { a.table.Store(c, uint64(1)) }
	},
	func(p *plan) step {
		c := p.random.Uint64N(3)
		return func(a *actor) {
			v, ok := a.table.LoadOrStore(c, a.seen)
			if ok {
				a.see(v.(uint64))
			}
		}
	},
	func(p *plan) step {
		return func(a *actor) {
			if _, ok := a.table.Load(uint64(1)); ok {
				a.see(1)
			}
		}
	},
}}
