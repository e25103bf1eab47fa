package tp3

import (
	"fmt"
	"strconv"
	"strings"
)

// Pos is a place in a source text. Line and Col count from 1; Col counts
// bytes.
type Pos struct{ Line, Col int }

// String is "line:column".
func (p Pos) String() string { return fmt.Sprintf("%d:%d", p.Line, p.Col) }

// compare orders positions as a reader meets them.
func (p Pos) compare(q Pos) int {
	if p.Line != q.Line {
		return p.Line - q.Line
	}
	return p.Col - q.Col
}

// Error is a program that [Parse] refuses: what is wrong, where, and what to
// do about it.
type Error struct {
	File string
	Pos  Pos
	What string
	Do   string
}

// Error is "file:line:column: what; do".
func (e *Error) Error() string {
	return fmt.Sprintf("%s:%s: %s; %s", e.File, e.Pos, e.What, e.Do)
}

// Program is a parsed program. It never changes and is safe for concurrent
// use.
type Program struct {
	name  string
	code  []stmt
	entry int32 // first statement of the root task
}

// Name is the name given to [Parse].
func (p *Program) Name() string { return p.name }

// op is the kind of a statement.
type op uint8

const (
	opAlloc op = iota
	opLoad
	opStore
	opNewPromise
	opSet
	opGet
	opAsync
	opWhile
	opAssign
	opReturn
)

// end is the index of the statement that is not there: the task has ended.
const end int32 = -1

// stmt is a statement. What follows a statement is known before the program
// runs, since blocks nest and nothing is called: a task's rest of the program,
// P in the paper, is the index of its next statement.
type stmt struct {
	op   op
	pos  Pos
	text string // for labels and messages, blocks left out

	// Locals live in slots, numbered in order of assignment along the
	// enclosing blocks. scope is how many are visible here, and the slot that
	// the statement assigns, if it does; names are those of the slots below.
	scope int32
	names *binding
	src   name   // y in load y, store e to y, while; x in x.set, x.get
	expr  []term // what is stored or assigned: a sum
	dst   string // x in x = …

	next int32 // after this statement; of a while, after the loop
	body int32 // first statement of an async or of a while's turn
}

// name is the use of a local.
type name struct {
	text string
	slot int32
}

// term is a summand: a local, or a number when name.text is empty.
type term struct {
	name   name
	number int64
}

// binding is a visible local; the list goes outwards.
type binding struct {
	name  string
	pos   Pos
	slot  int32
	depth int // of the block
	outer *binding
	// shadows is the local of the same name that this one hides.
	shadows *binding
}

// visible returns the names of the slots below scope, "" for one that a name
// further in shadows.
func (s *stmt) visible() []string {
	names := make([]string, s.scope)
	seen := map[string]bool{}
	for b := s.names; b != nil; b = b.outer {
		if !seen[b.name] {
			seen[b.name] = true
			names[b.slot] = b.name
		}
	}
	return names
}

// visibleAfter returns the names of the slots where the next statement of the
// same block would be.
func (s *stmt) visibleAfter() []string {
	names := s.visible()
	if !s.assigns() {
		return names
	}
	for slot, name := range names {
		if name == s.dst {
			names[slot] = ""
		}
	}
	return append(names, s.dst)
}

// assigns reports whether the statement gives a new local its value.
func (s *stmt) assigns() bool {
	switch s.op {
	case opAlloc, opLoad, opNewPromise, opAssign:
		return true
	}
	return false
}

// access reports whether the statement reads or writes a location.
func (s *stmt) access() (op Op, ok bool) {
	switch s.op {
	case opLoad, opWhile:
		return Read, true
	case opStore:
		return Write, true
	}
	return 0, false
}

func (s *stmt) format() string {
	switch s.op {
	case opAlloc:
		return s.dst + " = alloc"
	case opLoad:
		return s.dst + " = load " + s.src.text
	case opStore:
		return "store " + formatSum(s.expr) + " to " + s.src.text
	case opNewPromise:
		return s.dst + " = new_promise"
	case opSet:
		return s.src.text + ".set"
	case opGet:
		return s.src.text + ".get"
	case opAsync:
		return "async"
	case opWhile:
		return "while (0 != load " + s.src.text + ")"
	case opAssign:
		return s.dst + " = " + formatSum(s.expr)
	}
	return "return"
}

func formatSum(terms []term) string {
	var b strings.Builder
	for i, t := range terms {
		if i > 0 {
			b.WriteString(" + ")
		}
		if t.name.text != "" {
			b.WriteString(t.name.text)
		} else {
			b.WriteString(strconv.FormatInt(t.number, 10))
		}
	}
	return b.String()
}

// ended reports whether a task whose next statement is pc has ended.
func (p *Program) ended(pc int32) bool {
	return pc == end || p.code[pc].op == opReturn
}
