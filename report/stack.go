package report

import (
	"slices"
	"strings"

	"github.com/detrace/detrace/internal/record"
	"github.com/detrace/detrace/race"
)

// siteIndex is the frame that a reader of the source would name: the innermost
// one outside the standard library; of a stack that has none, the innermost
// one outside the runtime. It is -1 for an empty stack.
func siteIndex(s record.Stack) int {
	outsideRuntime := -1
	for i, f := range s {
		if !f.Std {
			return i
		}
		if outsideRuntime < 0 && !record.IsBehind(f.Func) {
			outsideRuntime = i
		}
	}
	if outsideRuntime < 0 && len(s) > 0 {
		return 0
	}
	return outsideRuntime
}

func siteOf(s record.Stack) record.Frame {
	if i := siteIndex(s); i >= 0 {
		return s[i]
	}
	return record.Frame{}
}

// isHelper extends record.IsBehind by the wrappers around single instructions.
func isHelper(fn string) bool {
	return record.IsBehind(fn) || strings.HasPrefix(fn, "sync/atomic.")
}

// helpers is the number of innermost frames that are not calls in the source
// but the way an access is carried out.
func helpers(s record.Stack) int {
	n := 0
	for n < len(s) && isHelper(s[n].Func) {
		n++
	}
	if n == len(s) {
		return 0
	}
	return n
}

// framesOf is a stack as it is shown: without the frames that carry out the
// access, those the runtime puts below main and package task below a task, and the
// compiler's wrappers.
func framesOf(s record.Stack) []race.Frame {
	frames := make([]race.Frame, 0, len(s))
	s = s[helpers(s):]
	for len(s) > 1 && isTask(s[len(s)-1]) {
		s = s[:len(s)-1]
	}
	for i, f := range s {
		outer := i == len(s)-1
		if outer && (f.Func == "runtime.goexit" || f.Func == "runtime.main") {
			continue
		}
		if i == len(s)-2 && f.Func == "runtime.main" && s[i+1].Func == "runtime.goexit" {
			continue
		}
		if i > 0 && isWrapper(f.Func) {
			continue
		}
		frames = append(frames, frameOf(f))
	}
	return frames
}

func frameOf(f record.Frame) race.Frame {
	return race.Frame{Func: spelledFunc(f.Func), File: f.File, Line: f.Line}
}

// spelledFunc is a function's name with [...] for type arguments, as in Go's own traces.
func spelledFunc(fn string) string {
	i, j := strings.IndexByte(fn, '['), strings.LastIndexByte(fn, ']')
	if i < 0 || j < i {
		return fn
	}
	return fn[:i] + "[...]" + fn[j+1:]
}

// isWrapper reports whether a function is what the compiler makes of a go or
// defer statement whose call has arguments (main.main.gowrap1).
func isWrapper(fn string) bool {
	name := fn[strings.LastIndexByte(fn, '.')+1:]
	return strings.HasPrefix(name, "gowrap") || strings.HasPrefix(name, "deferwrap")
}

// actions says what the runtime does in a function with one of these prefixes.
// The first match counts, so longer prefixes stand first.
var actions = []struct{ prefix, action string }{
	{"mapaccess", "map read"},
	{"mapassign", "map write"},
	{"mapdelete", "map delete"},
	{"mapclear", "map clear"},
	{"mapiter", "map iteration"},
	{"mapIter", "map iteration"},
	{"mapclone", "map copy"},
	{"growslice", "append"},
	{"slicecopy", "copy"},
	{"typedslicecopy", "copy"},
	{"makeslicecopy", "copy"},
	{"closechan", "channel close"},
	{"chansend", "channel send"},
	{"selectnbsend", "channel send"},
	{"chanrecv", "channel receive"},
	{"selectnbrecv", "channel receive"},
	{"chanlen", "channel len"},
	{"chancap", "channel cap"},
	{"selectgo", "select"},
	{"slicebytetostring", "string conversion"},
	{"slicerunetostring", "string conversion"},
	{"stringtoslice", "string conversion"},
	{"memequal", "comparison"},
	{"efaceeq", "comparison"},
	{"ifaceeq", "comparison"},
	{"strequal", "comparison"},
	{"memhash", "hash"},
	{"strhash", "hash"},
}

// actionOf says what the innermost frames do for the program, or "".
func actionOf(s record.Stack) string {
	action := ""
	for _, f := range s[:helpers(s)] {
		name := f.Func[strings.LastIndexByte(f.Func, '.')+1:]
		switch {
		case strings.Contains(f.Func, "maps.(*Iter)."):
			action = "map iteration"
		case strings.Contains(f.Func, "maps.(*Map).Clear"):
			action = "map clear"
		case strings.HasPrefix(f.Func, "reflect_"):
			continue
		}
		for _, a := range actions {
			if strings.HasPrefix(name, a.prefix) {
				action = a.action
				break
			}
		}
	}
	return action
}

func posOf(f record.Frame) race.Pos { return race.Pos{File: f.File, Line: f.Line} }

func sitePos(s record.Stack) race.Pos { return posOf(siteOf(s)) }

// serialTask is the outermost function of a task that runs serially, on the stack of
// whoever started it.
const serialTask = taskPackage + "executor.start.func1"

const taskPackage = "github.com/detrace/detrace/task."

// cutSerial ends each stack where its task does.
func cutSerial(stacks map[uint32]record.Stack) {
	for id, s := range stacks {
		if at := slices.IndexFunc(s, func(f record.Frame) bool { return f.Func == serialTask }); at > 0 {
			stacks[id] = s[:at:at]
		}
	}
}
