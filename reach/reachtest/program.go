package reachtest

import (
	"fmt"
	"strconv"
	"strings"
)

// Op is a kind of event.
type Op uint8

const (
	Fork           Op = iota // Task forks task Arg
	End                      // Task ends
	Release                  // Task releases into object Arg, replacing what it holds
	Merge                    // Task releases into object Arg, adding to what it holds
	Acquire                  // Task acquires object Arg
	ReleaseAcquire           // Task swaps its knowledge with object Arg
	AcquireAll               // Task acquires every task
	Free                     // object Arg is forgotten; Task is 0
	Collect                  // the engine reclaims; Arg seeds the choice of what is remembered
	Check                    // all pairs are compared
)

var opNames = [...]string{"fork", "end", "release", "merge", "acquire", "swap", "all", "free", "collect", "check"}

// Event is one step of a program. Tasks are numbered from 1, the root;
// a fork names its child by a number not used before. Objects have any number.
type Event struct {
	Op   Op
	Task int
	Arg  int
}

// Program is a list of events in an order in which they could happen.
type Program []Event

// String writes one event a line: its name, the task unless it has none, and
// the argument if it has one.
func (p Program) String() string {
	var b strings.Builder
	for _, e := range p {
		b.WriteString(opNames[e.Op])
		if e.hasTask() {
			fmt.Fprintf(&b, " %d", e.Task)
		}
		if e.hasArg() {
			fmt.Fprintf(&b, " %d", e.Arg)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func (e Event) hasTask() bool { return e.Op < Free }

func (e Event) hasArg() bool { return e.Op != End && e.Op != AcquireAll && e.Op != Check }

// Parse reads what String writes. Empty lines and # comments are skipped.
func Parse(text string) (Program, error) {
	var p Program
	for i, line := range strings.Split(text, "\n") {
		line, _, _ = strings.Cut(line, "#")
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		e, err := parseEvent(words)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
		p = append(p, e)
	}
	if legal := p.legal(); len(legal) != len(p) {
		return nil, fmt.Errorf("the program is not legal: only %d of %d events can happen", len(legal), len(p))
	}
	return p, nil
}

func parseEvent(words []string) (Event, error) {
	for op, name := range opNames {
		if name != words[0] {
			continue
		}
		e := Event{Op: Op(op)}
		var fields []*int
		if e.hasTask() {
			fields = append(fields, &e.Task)
		}
		if e.hasArg() {
			fields = append(fields, &e.Arg)
		}
		if len(words)-1 != len(fields) {
			return e, fmt.Errorf("%s takes %d numbers, not %d", name, len(fields), len(words)-1)
		}
		for i, f := range fields {
			n, err := strconv.Atoi(words[i+1])
			if err != nil {
				return e, fmt.Errorf("%s: %w", name, err)
			}
			*f = n
		}
		return e, nil
	}
	return Event{}, fmt.Errorf("unknown event %q", words[0])
}

// legal returns p without the events that cannot happen: those of a task that
// was never forked or has ended, and forks of a number in use.
func (p Program) legal() Program {
	const running, ended = 1, 2
	tasks := map[int]int{1: running}
	var out Program
	for _, e := range p {
		if e.hasTask() && tasks[e.Task] != running {
			continue
		}
		switch e.Op {
		case Fork:
			if tasks[e.Arg] != 0 {
				continue
			}
			tasks[e.Arg] = running
		case End:
			tasks[e.Task] = ended
		}
		out = append(out, e)
	}
	return out
}

// Decode makes a legal program of any bytes, for fuzzing: two bytes are an
// event. There are at most 40 tasks and eight objects.
func Decode(data []byte) Program {
	running, tasks := []int{1}, 1
	var p Program
	for ; len(data) >= 2; data = data[2:] {
		i := int(data[1]>>3) % len(running)
		e := Event{Op: Op(data[0] % uint8(len(opNames))), Arg: 1 + int(data[1]%8)}
		if e.hasTask() {
			e.Task = running[i]
		}
		switch e.Op {
		case Fork:
			if tasks == 40 {
				continue
			}
			tasks++
			e.Arg = tasks
			running = append(running, tasks)
		case End:
			if i == 0 {
				continue
			}
			running = append(running[:i:i], running[i+1:]...)
		}
		if !e.hasArg() {
			e.Arg = 0
		}
		p = append(p, e)
	}
	return p
}
