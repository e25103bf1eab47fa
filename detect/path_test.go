package detect

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/detrace/detrace/internal/callstack"
	"github.com/detrace/detrace/internal/mutants"
	"github.com/detrace/detrace/internal/offheap"
	"github.com/detrace/detrace/internal/soak"
	"github.com/detrace/detrace/reach"
	"github.com/detrace/detrace/shadow"
)

// A made-up program calls functions on one stack. Odd return addresses are in functions that
// are counted, which all but every third are.
const (
	functions = 7
	callSites = 3
	stackSize = 1 << 14
)

func countedFunction(f int) bool { return f%3 != 0 }

// pcIn is a return address; all are remembered in the same place.
func pcIn(f, site int) uintptr {
	pc := uintptr(1+f*callSites+site) * activationsSize
	if countedFunction(f) {
		pc |= 1
	}
	return pc
}

// callee is one call of a function on the stack.
type callee struct {
	base uintptr
	f    int
	pc   uintptr // where it returns to
}

// runner is a task with its frames, the outermost first; those of a task that it runs like a
// function lie above its own.
type runner struct {
	local  *Local
	frames []callee
	top    uintptr // how far its frames end below the end of the stack
}

// callers is a made-up program that runs.
type callers struct {
	r      *rand.Rand
	tree   *callstack.Tree
	procs  [2]*Proc
	mem    [3]uintptr // where the stack may be
	lo, hi uintptr    // where it is
	locals [6]Local   // by task; of 0 that of nobody
	tasks  []*runner  // the innermost last
	tells  int        // paths that took no walk
}

func (c *callers) now() *runner { return c.tasks[len(c.tasks)-1] }

// innermost is the frame that runs, of whichever task; nil before the first.
func (c *callers) innermost() *callee {
	for i := len(c.tasks) - 1; i >= 0; i-- {
		if n := len(c.tasks[i].frames); n > 0 {
			return &c.tasks[i].frames[n-1]
		}
	}
	return nil
}

// call enters function f, while l is the Local of whoever runs.
func (c *callers) call(l *Local, f int) {
	frame := callee{base: c.hi - 32, f: f, pc: 2}
	up := uintptr(0)
	if by := c.innermost(); by != nil {
		up = by.base
		frame.base = up - uintptr(48+16*(by.f%2))
		frame.pc = pcIn(by.f, c.r.IntN(callSites))
	}
	if frame.base < c.lo+128 {
		return
	}
	*(*[2]uintptr)(offheap.Pointer(frame.base)) = [2]uintptr{up, frame.pc}
	if countedFunction(f) {
		l.Enters(uint32(c.hi - frame.base))
	}
	t := c.now()
	t.frames = append(t.frames, frame)
}

// back returns from the frame that runs, if it is the innermost task's.
func (c *callers) back() {
	if t := c.now(); len(t.frames) > 0 {
		t.frames = t.frames[:len(t.frames)-1]
	}
}

// begins runs another task on the stack, as package task does, in a frame of a function of the
// library, which is entered for nobody.
func (c *callers) begins() {
	l := &c.locals[1+c.r.IntN(len(c.locals)-1)]
	if c.innermost() == nil || slices.ContainsFunc(c.tasks, func(t *runner) bool { return t.local == l }) {
		return
	}
	c.call(&c.locals[0], c.r.IntN(functions))
	l.Resumes()
	c.tasks = append(c.tasks, &runner{local: l, top: c.hi - c.innermost().base})
}

// ends is the end of such a task.
func (c *callers) ends() {
	if len(c.tasks) > 1 {
		c.tasks = c.tasks[:len(c.tasks)-1]
		c.back()
		c.now().local.Resumes()
	}
}

// library calls a function of the library while there is no task, which goes on for the task
// in the frame that it was entered in for nobody.
func (c *callers) library() {
	c.call(&c.locals[0], c.r.IntN(functions))
	c.now().local.Resumes()
}

// moves copies the stack to another place.
func (c *callers) moves() {
	i := c.r.IntN(len(c.mem))
	hi := c.mem[i] + stackSize - uintptr(16*c.r.IntN(9))
	if hi-c.mem[i] <= c.hi-c.lo-64 || c.mem[i] == c.lo {
		return
	}
	for _, t := range c.tasks {
		for k := range t.frames {
			f := &t.frames[k]
			words := *(*[2]uintptr)(offheap.Pointer(f.base))
			if words[0] != 0 {
				words[0] += hi - c.hi
			}
			f.base += hi - c.hi
			*(*[2]uintptr)(offheap.Pointer(f.base)) = words
		}
	}
	c.lo, c.hi = c.mem[i], hi
	c.now().local.Moves()
}

// ages lets the task leave some frames and enter as many functions as there are notes to tell
// apart.
func (c *callers) ages() {
	n := 1 + c.r.IntN(3)
	for range n {
		c.back()
	}
	c.now().local.Version += 1<<32 - uint64(n)
	for range n {
		c.call(c.now().local, c.r.IntN(functions))
	}
}

// path is the call path to the innermost frame of the task, and a walk's.
func (c *callers) path() error {
	t := c.now()
	if len(t.frames) == 0 {
		return nil
	}
	frame := t.frames[len(t.frames)-1]
	p := c.procs[c.r.IntN(len(c.procs))]
	s := Stack{Lo: c.lo, Top: c.hi - t.top, Hi: c.hi}
	var w callstack.Walk
	w.Climb(frame.base, s.Lo, s.Top)
	want := uint32(w.Intern(c.tree))
	counted := countedFunction(frame.f)
	stands := counted && len(t.frames)%2 == 0 && p.Stands(t.local, frame.base, c.hi)
	if context, fresh := p.Context(t.local, frame.base); fresh && counted && context != want || stands && !fresh {
		return fmt.Errorf("%+v: remembered as %d, is %d; stands: %v, fresh: %v", frame, context, want, stands, fresh)
	}
	got := p.Path(c.tree, t.local, &s, frame.base, counted)
	if got == 0 {
		p.Walked(c.tree, t.local, &s, frame.base, want)
		return nil
	}
	if c.tells++; got != want {
		return fmt.Errorf("%+v: path %v, a walk has %v", frame, c.pcs(got), c.pcs(want))
	}
	return nil
}

func (c *callers) pcs(id uint32) (pcs []uintptr) {
	for i := callstack.ID(id); i != 0; {
		var pc uintptr
		pc, i = c.tree.Frame(i)
		pcs = append(pcs, pc)
	}
	slices.Reverse(pcs)
	return pcs
}

func (c *callers) run(steps, deep int) error {
	for range steps {
		switch n := c.r.IntN(100); {
		case n < 24+deep:
			c.call(c.now().local, c.r.IntN(functions))
		case n < 50:
			c.back()
		case n < 52:
			c.begins()
		case n < 54:
			c.ends()
		case n < 55:
			c.library()
		case n < 56:
			c.moves()
		case n < 57:
			c.ages()
		default:
			if err := c.path(); err != nil {
				return err
			}
		}
	}
	return nil
}

// TestPathsAreThoseOfWalks compares call paths that take no walk with those that walks find.
func TestPathsAreThoseOfWalks(t *testing.T) {
	var tree callstack.Tree
	tree.Init(func(pc uintptr) (uint32, bool) { return 0, pc&1 != 0 }, nil)
	memory := uintptr(offheap.Reserve(3 * stackSize))
	tells, steps := 0, 4000
	// 926 finds a frame that was not noted where the note is of 1<<32 entries before; 10326 one that
	// lies after two moves where another did.
	seeds := []uint64{926, 10326}
	first, count := soak.Seeds(300)
	for seed := range count {
		seeds = append(seeds, first+seed)
	}
	for _, seed := range seeds {
		c := &callers{r: rand.New(rand.NewPCG(seed, 77)), tree: &tree, procs: [2]*Proc{new(Proc), new(Proc)}}
		for i := range c.mem {
			c.mem[i] = memory + uintptr(i)*stackSize
		}
		c.lo, c.hi = c.mem[0], c.mem[0]+stackSize
		for i := range c.locals {
			c.locals[i].Strand, c.locals[i].Version = reach.StrandOf(reach.Task(i), 1), 1<<32-20
		}
		c.tasks = []*runner{{local: &c.locals[1]}}
		if err := c.run(steps, int(seed%4)); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		tells += c.tells
	}
	if tells < int(count)*steps/8 {
		t.Errorf("only %d paths took no walk", tells)
	}
}

// After a stack was moved a frame may lie where its caller did, with the same note and the same
// return address.
func TestPathsOfMovedStacks(t *testing.T) {
	var tree callstack.Tree
	tree.Init(func(uintptr) (uint32, bool) { return 0, true }, nil)
	memory := uintptr(offheap.Reserve(2 * stackSize))
	hi := memory + stackSize
	const outer, pc = 64, 7
	inner := uintptr(outer + 16)
	for inner*enteredScale&(1<<32-1)>>EnteredShift != outer*enteredScale&(1<<32-1)>>EnteredShift {
		inner += 16
	}
	put := func(base, up uintptr) {
		*(*[2]uintptr)(offheap.Pointer(base)) = [2]uintptr{up, pc}
	}
	l, p := &Local{Strand: reach.StrandOf(1, 1)}, new(Proc)
	s := Stack{Lo: memory, Top: hi, Hi: hi}
	put(hi-32, 0)
	put(hi-outer, hi-32)
	put(hi-inner, hi-outer)
	for _, depth := range []uintptr{32, outer, inner} {
		l.Enters(uint32(depth))
	}
	path := func(base uintptr) (known, walked uint32) {
		var w callstack.Walk
		w.Climb(base, s.Lo, s.Top)
		return p.Path(&tree, l, &s, base, true), uint32(w.Intern(&tree))
	}
	if known, walked := path(hi - inner); known == 0 {
		p.Walked(&tree, l, &s, hi-inner, walked)
	}
	l.Moves()
	s.Hi = hi + inner - outer
	put(s.Hi-32, 0)
	put(s.Hi-outer, s.Hi-32)
	put(s.Hi-inner, s.Hi-outer)
	s.Top = s.Hi
	if known, walked := path(s.Hi - inner); known != 0 && known != walked {
		t.Errorf("a moved frame has path %d, a walk finds %d", known, walked)
	}
}

// After two moves a frame may lie where one lay that it called and that has returned, with the same
// return address and nothing entered since.
func TestPathsOfStacksMovedBack(t *testing.T) {
	var tree callstack.Tree
	tree.Init(func(uintptr) (uint32, bool) { return 0, true }, nil)
	hi := uintptr(offheap.Reserve(stackSize)) + stackSize
	const pc, outer, inner = 7, 48, 64
	put := func(base, up uintptr) { *(*[2]uintptr)(offheap.Pointer(base)) = [2]uintptr{up, pc} }
	l, p := &Local{Strand: reach.StrandOf(1, 1)}, new(Proc)
	s := Stack{Lo: hi - stackSize, Top: hi, Hi: hi}
	put(hi-32, 0)
	put(hi-outer, hi-32)
	put(hi-inner, hi-outer)
	for _, depth := range []uint32{32, outer, inner} {
		l.Enters(depth)
	}
	var w callstack.Walk
	w.Climb(hi-inner, s.Lo, s.Top)
	p.Walked(&tree, l, &s, hi-inner, uint32(w.Intern(&tree)))
	if _, fresh := p.Context(l, hi-inner); !fresh {
		t.Fatal("a path that was walked is not fresh")
	}
	l.Moves()
	l.Moves()
	hi -= inner - outer
	put(hi-32, 0)
	put(hi-outer, hi-32)
	if context, fresh := p.Context(l, hi-outer); fresh {
		t.Errorf("the outer frame has path %d of the inner one", context)
	}
	if p.Stands(l, hi-outer, hi) {
		t.Error("the outer frame stands for the inner one")
	}
}

// An access in a frame that is not counted comes to the history each time, as what is
// remembered of the call path may be that of another frame.
func TestUncountedAccesses(t *testing.T) {
	j := newJudged(t)
	root := j.Engine.Root()
	for i, uncounted := range []bool{true, true, false} {
		p := j.proc(root)
		p.Uncounted = uncounted
		slow := j.access(root, shadow.Write, low+uintptr(4096*i), 1)
		p.Uncounted = false
		if !slow {
			t.Errorf("write %d did not come to the history", i)
		}
	}
	if j.access(root, shadow.Write, low+4096*3, 1) {
		t.Error("a write in a frame that is counted is not remembered")
	}
}

// TestPathMutants shows that the test notices a path that does not stand any more.
func TestPathMutants(t *testing.T) {
	mutants.Run(t, "^(TestPathsAreThoseOfWalks|TestPathsOfMovedStacks|TestPathsOfStacksMovedBack|TestUncountedAccesses)$", []mutants.Mutant{
		{Name: "a frame that is not counted stands by its note", File: "path.go",
			Old: "counted && a.stands(l, s.Hi)", New: "a.stands(l, s.Hi)"},
		{Name: "a caller that is not counted stands by its note", File: "path.go",
			Old: "		context = tree.Extend(callstack.ID(above.context), returns(base))\n", New: "		context = tree.Call(callstack.ID(above.context), returns(base))\n"},
		{Name: "the return address is not compared", File: "path.go",
			Old: "a.base == base && a.ret == returns(base) &&", New: "a.base == base &&"},
		{Name: "the task is not compared", File: "path.go",
			Old: " && a.task == l.Strand.Task()", New: ""},
		{Name: "a path stands whoever was entered", File: "path.go",
			Old: "note != 0 && note == a.entered &&", New: "note != 0 &&"},
		{Name: "a task that resumes keeps its notes", File: "path.go",
			Old: "	l.entered = [entered]uint32{}\n", New: ""},
		{Name: "a task that resumes has entered nothing", File: "path.go",
			Old: "func (l *Local) Resumes() {\n	l.Version++\n", New: "func (l *Local) Resumes() {\n"},
		{Name: "a frame that is not counted is that of the same version", File: "path.go",
			Old: "(counted || tree.Counted(callstack.ID(a.context)))", New: "true"},
		{Name: "what is remembered stands", File: "path.go",
			Old: "if !a.is(l, base) || !a.stands(l, hi) {", New: "if !a.is(l, base) {"},
		{Name: "what was not noted stands", File: "path.go",
			Old: "note != 0 && note == a.entered", New: "note == a.entered"},
		{Name: "the depth is not compared", File: "path.go",
			Old: " && a.depth == uint32(hi-a.base)", New: ""},
		{Name: "a stack that is moved leaves frames where they were", File: "path.go",
			Old: "Moves() { l.Version++ }", New: "Moves() {}"},
		{Name: "accesses in frames that are not counted are remembered", File: "query.go",
			Old: " && !p.Uncounted", New: ""},
		{Name: "notes are good for ever", File: "path.go",
			Old: " && l.Version-a.version < 1<<31", New: ""},
		{Name: "old notes are those of entries to come", File: "path.go",
			Old: "	if uint32(l.Version)-a.entered >= 1<<31 {\n", New: "	if false {\n"},
		{Name: "a path that was cut goes on", File: "path.go",
			Old: "above == nil || tree.Len(callstack.ID(above.context)) >= callstack.Depth", New: "above == nil"},
		{Name: "the caller's path is that of a path that was cut", File: "path.go",
			Old: "up != 0 && tree.Len(callstack.ID(context)) < callstack.Depth", New: "up != 0"},
	})
}
