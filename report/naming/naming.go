// Package naming tells from the source which variable or element two accesses
// to the same memory have in common.
//
// A record knows the line of an access and whether it writes, not the
// expression. A line has a handful of expressions that could have made it:
// left sides for a write, operands for a read, arguments of a call into the
// library. The pair of expressions of the two lines that fits best is the
// answer; what types and objects say is used as far as the package can be
// type-checked without its imports.
package naming

import (
	"fmt"
	"path/filepath"
	"strings"
)

// Access is what is known of one access.
type Access struct {
	// File and Line are the innermost frame outside the standard library, Func
	// its function as the linker names it.
	File string
	Line int
	Func string
	// Write says that memory changed, Atomic that it was by sync/atomic.
	Write, Atomic bool
	// Action is what the runtime did for the program, such as "map write", or
	// empty for an ordinary load or store.
	Action string
	// Callee is the library function that Func called to make the access.
	Callee string
}

// Hint is what the address says.
type Hint struct {
	// Global is the linker's name of the global variable, or empty.
	Global string
	// Heap says that the memory is a heap object.
	Heap bool
	// Offset is the address within the object of Size bytes; 0, 0: unknown.
	Offset, Size uint64
}

// Names is the answer.
type Names struct {
	// Name is the variable or element, as one of the accesses writes it. Where
	// no expression could be found it is the text of a line, without source
	// the place. Never empty.
	Name string
	// First and Second are the expressions of the two accesses.
	First, Second Expr
}

// Expr is an expression in a line of source; the zero value is unknown.
type Expr struct {
	Expr   string
	Column int // 1-based, in bytes
}

// Namer reads and remembers source files. For one goroutine.
type Namer struct {
	sources *Sources
	dirs    map[string]*dir
}

// New returns a Namer that reads through s.
func New(s *Sources) *Namer { return &Namer{s, map[string]*dir{}} }

// Name finds the names for a pair of accesses.
func (n *Namer) Name(first, second Access, hint Hint) Names {
	a, b := n.candidates(first), n.candidates(second)
	best, found := choose(a, b, hint)
	var names Names
	if best[0] != nil {
		names.First = best[0].found()
	}
	if best[1] != nil {
		names.Second = best[1].found()
	}
	names.Name = n.name(first, second, best, found, hint)
	return names
}

// name prefers the expression that writes: it names the element, where the
// other may copy a whole.
func (n *Namer) name(first, second Access, best [2]*candidate, matched bool, hint Hint) string {
	order := []int{0, 1}
	if !first.Write {
		order = []int{1, 0}
	}
	if hint.Global != "" {
		for _, i := range order {
			if best[i] != nil && best[i].isGlobal(hint.Global) {
				return best[i].text
			}
		}
		return shortSymbol(hint.Global)
	}
	// A value passed into a library function tells less than an expression.
	if matched && best[order[0]].call != "" && best[order[1]].call == "" {
		order[0], order[1] = order[1], order[0]
	}
	for _, i := range order {
		if best[i] != nil {
			return best[i].text
		}
	}
	for _, i := range order {
		a := []Access{first, second}[i]
		line, _, _ := strings.Cut(n.sources.Line(a.File, a.Line), " //")
		if line = strings.TrimSpace(line); line != "" {
			return line
		}
	}
	return fmt.Sprintf("memory accessed at %s:%d", filepath.Base(first.File), first.Line)
}

// shortSymbol is a linker's name without the path of its package, and without
// the package where that is main.
func shortSymbol(sym string) string {
	sym = sym[strings.LastIndexByte(sym, '/')+1:]
	return strings.TrimPrefix(sym, "main.")
}
