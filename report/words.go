package report

import (
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/detrace/detrace/race"
)

// The words of a report, the same in every format for people.

// Relative is a file as seen from dir where it is below dir, else unchanged.
func Relative(dir, file string) string {
	rel, err := filepath.Rel(dir, file)
	if err != nil || !filepath.IsAbs(file) || rel == ".." || strings.HasPrefix(rel, "../") {
		return file
	}
	return rel
}

// Place is a position as a user would type it, relative to dir.
func Place(dir string, p race.Pos) string {
	if p.File == "" {
		return "unknown place"
	}
	return fmt.Sprintf("%s:%d", Relative(dir, p.File), p.Line)
}

// Summary is a race in a few words, without its places.
func Summary(r *race.Race) string { return fmt.Sprintf("%s on %s", r.Kind, r.Location.Name) }

// What is an access in words, such as "map write of m".
func What(a *race.Access) string {
	op := string(a.Op)
	switch {
	case a.Action == "":
	case strings.Contains(a.Action, string(a.Op)):
		op = a.Action
	default:
		op = fmt.Sprintf("%s (%s)", a.Op, a.Action)
	}
	if a.Expr == "" {
		return op
	}
	return op + " of " + a.Expr
}

const mainTask = 1

// Who is a task in words.
func Who(t race.Task) string {
	switch {
	case t.Test != "":
		return "a goroutine of " + t.Test
	case len(t.Spawn) > 0:
		return "a goroutine"
	case t.ID == mainTask:
		return "the main goroutine"
	}
	return "a goroutine of the runtime" // no go statement started it
}

// Step is a step of a chain of spawns that was taken Levels times in a row.
type Step struct {
	race.Frame
	Levels int
}

// Steps merges what repeats in a chain of spawns, as it does in a recursion.
func Steps(chain []race.Frame) []Step {
	var steps []Step
	for _, f := range chain {
		if n := len(steps); n > 0 && steps[n-1].Frame == f {
			steps[n-1].Levels++
		} else {
			steps = append(steps, Step{f, 1})
		}
	}
	return steps
}

// Via names the library function that a step of a chain of spawns went through,
// with a word before it; empty for a go statement.
func Via(step race.Frame) string {
	if step.Via == "" {
		return ""
	}
	return " via " + step.Via[strings.LastIndexByte(step.Via, '/')+1:]
}

// Parted says where two chains of spawns separate, with places relative to dir.
func Parted(dir string, p *race.Parted) string {
	ancestor := Who(p.Task)
	if n := len(p.Task.Spawn); n > 0 {
		ancestor = "the goroutine started at " + Place(dir, p.Task.Spawn[n-1].Pos())
	}
	at := func(f *race.Frame) string { return Place(dir, f.Pos()) + Via(*f) }
	how := ""
	switch {
	case p.First == nil:
		how = "which made the first access itself and started the way to the second at " + at(p.Second)
	case p.Second == nil:
		how = fmt.Sprintf("which started the way to the first access at %s and made the second itself", at(p.First))
	case *p.First == *p.Second:
		how = "which started both at " + at(p.First)
	default:
		how = fmt.Sprintf("which started the way to the first at %s, to the second at %s", at(p.First), at(p.Second))
	}
	return "in " + ancestor + ", " + how
}

// Marked is the part of a line of source that an access is about, in bytes; ok is
// false where the access has no column or the line is another one.
func Marked(line string, a *race.Access) (from, to int, ok bool) {
	from = a.Column - 1
	if from < 0 || from >= len(line) {
		return 0, 0, false
	}
	if n := spelled(line[from:], a.Expr); n > 0 {
		return from, from + n, true
	}
	_, size := utf8.DecodeRuneInString(line[from:])
	return from, from + size, true
}

// spelled is how many bytes of line spell expr at its beginning, with spaces where
// the line has them; 0 if they do not.
func spelled(line, expr string) int {
	n := 0
	for _, c := range strings.ReplaceAll(expr, " ", "") {
		line := line[n:]
		rest := strings.TrimLeft(line, " \t")
		if !strings.HasPrefix(rest, string(c)) || n == 0 && len(rest) < len(line) {
			return 0
		}
		n += len(line) - len(rest) + utf8.RuneLen(c)
	}
	return n
}

// Memory is the object that a race is about, empty when it is unknown. It leaves
// addresses out: they differ from run to run.
func Memory(l race.Location) string {
	switch a := l.Alloc; {
	case a == nil:
		return ""
	case a.Kind == "global":
		return fmt.Sprintf("byte %d of the global variable %s (%d bytes)", a.Offset, a.Name, l.Size)
	default:
		return fmt.Sprintf("byte %d of a heap object of %d bytes", a.Offset, l.Size)
	}
}

// Headline is what the verdict means for this report.
func Headline(r *race.Report) string {
	switch r.Verdict {
	case race.Determinate:
		return "no schedule of this program races on this input, and none changes its result"
	case race.NotCertified:
		return "no race found, but what follows keeps this run from speaking for all schedules"
	}
	known := ""
	switch n := len(r.Races) - r.New(); {
	case n > 0 && r.New() > 0:
		known = fmt.Sprintf(", %d known and %d new", n, r.New())
	case n > 1:
		known = ", all known"
	case n > 0:
		known = ", known"
	}
	return Plural(uint64(len(r.Races)), "racing pair of source lines", "racing pairs of source lines") + known
}

// Ended is how a program that did not end well ended.
func Ended(p *race.Program) string {
	if p.Signal != "" {
		return "killed by " + p.Signal
	}
	return fmt.Sprintf("failed with exit code %d", p.ExitCode)
}

// Seen says how often something happened, where that was more than once.
func Seen(count uint64) string {
	if count > 1 {
		return fmt.Sprintf(" (seen %d times)", count)
	}
	return ""
}

// Plural is a count with its word; with one word, its plural ends in s.
func Plural(n uint64, words ...string) string {
	switch {
	case n == 1:
		return "1 " + words[0]
	case len(words) > 1:
		return fmt.Sprintf("%d %s", n, words[1])
	}
	return fmt.Sprintf("%d %ss", n, words[0])
}

// Unobserved is the list of packages of which not all was seen, with the runtime
// and what it is made of as one.
func Unobserved(packages []string) []string {
	var names []string
	below := 0
	for _, p := range packages {
		switch {
		case p == "runtime", p == "unsafe", p == "sync/atomic", p == "math/bits",
			strings.HasPrefix(p, "internal/"), strings.HasPrefix(p, "runtime/"):
			below++
		default:
			names = append(names, p)
		}
	}
	if below > 0 {
		names = append(names, fmt.Sprintf("the runtime (%s)", Plural(uint64(below), "package")))
	}
	return names
}
