package report

import (
	"slices"
	"strings"

	"github.com/detrace/detrace/internal/record"
	"github.com/detrace/detrace/race"
)

// chain is the serial numbers of a task's ancestors from main down, and its
// own. It starts below main where records are missing.
func (b *builder) chain(task uint32) []uint32 {
	var ids []uint32
	for id := task; id != 0; {
		t, ok := b.file.Tasks[id]
		if !ok {
			break
		}
		ids = append(ids, id)
		id = t.Parent
	}
	slices.Reverse(ids)
	return ids
}

func (b *builder) task(id uint32) race.Task {
	t := race.Task{ID: id, Spawn: []race.Frame{}}
	for _, id := range b.started(b.chain(id)) {
		t.Spawn = append(t.Spawn, b.step(id))
	}
	return t
}

// started is a chain without the tasks at its beginning that no statement of the program
// starts: the root and the main goroutine, and the scheduler's task that a timer's
// goroutine comes from, if the chain goes on with what set the timer.
func (b *builder) started(chain []uint32) []uint32 {
	for len(chain) > 0 {
		step := b.step(chain[0])
		if step.Func != "" && (!record.IsBehind(step.Func) || len(chain) == 1) {
			break
		}
		chain = chain[1:]
	}
	return chain
}

// step is where a task was started, and the library function that was called
// there to have it started.
func (b *builder) step(id uint32) race.Frame { return b.spawner(b.file.Tasks[id].ForkStack) }

// spawner is the step that a fork stack shows.
func (b *builder) spawner(forkStack uint32) race.Frame {
	s := b.file.Stacks[forkStack]
	at := spawnerIndex(s)
	if at < 0 {
		return race.Frame{}
	}
	step := frameOf(s[at])
	if at > 0 && !record.IsBehind(s[at-1].Func) {
		step.Via = spelledFunc(s[at-1].Func)
	}
	return step
}

// spawnerIndex is the frame of a fork stack that a reader would call the go
// statement: the innermost one that is neither the standard library's nor
// golang.org/x/sync's.
func spawnerIndex(s record.Stack) int {
	at := slices.IndexFunc(s, func(f record.Frame) bool { return !f.Std && !isSync(f) })
	if at < 0 {
		at = siteIndex(s)
	}
	return at
}

func isSync(f record.Frame) bool {
	return strings.HasPrefix(f.Func, "golang.org/x/sync/") || isTask(f)
}

func isTask(f record.Frame) bool { return strings.HasPrefix(f.Func, taskPackage) }

// part finds where the chains of the two tasks separate and which join between
// the two branches is missing.
func (b *builder) part(f *found) {
	first, second := b.chain(f.rec.First.Task), b.chain(f.rec.Second.Task)
	n := 0
	for n < len(first) && n < len(second) && first[n] == second[n] {
		n++
	}
	if n == len(first) && n == len(second) {
		return
	}
	if n == 0 || record.IsBehind(b.step(first[n-1]).Func) {
		b.partTimer(f, b.started(first), b.started(second))
		return
	}
	f.Parted = &race.Parted{Task: b.task(first[n-1])}
	x, y := branch(first, n), branch(second, n)
	if x != 0 {
		step := b.step(x)
		f.Parted.First = &step
	}
	if y != 0 {
		step := b.step(y)
		f.Parted.Second = &step
	}
	f.MissingJoin = b.missingJoin(f, x, y)
}

// partTimer is part for chains that have nothing of the program in common, since a timer's
// goroutine is nobody's: which join is missing after what set the timer.
func (b *builder) partTimer(f *found, first, second []uint32) {
	x, y := branch(first, 0), branch(second, 0)
	for _, t := range []uint32{x, y} {
		if t != 0 && record.IsBehind(b.step(t).Func) {
			return
		}
	}
	if x != 0 || y != 0 {
		f.MissingJoin = b.missingJoin(f, x, y)
	}
}

func branch(chain []uint32, n int) uint32 {
	if n < len(chain) {
		return chain[n]
	}
	return 0
}
