package drdp_test

import (
	"strings"
	"testing"

	"github.com/detrace/detrace/reach/structtest"
)

// Programs on which variants of the algorithm that look right are wrong. Every
// strand is compared with the oracle before every event.
func TestRegressions(t *testing.T) {
	for _, c := range []struct{ name, program string }{
		{"a set before a finish does not carry what the finish joins",
			"promise 0 0; promise 0 1; async 0 1; block 1 1; async 0 2; set 2 0; finish 2; async 2 3; set 3 1; await 1 1; end 1; end 3; endfinish 2; end 2; async 0 4; await 4 0; end 4; end 0"},
		{"a joined task keeps what its creator had joined",
			"promise 0 0; async 0 1; set 1 0; end 1; async 0 2; await 2 0; finish 2; async 2 3; end 3; endfinish 2; end 2; end 0"},
		{"a creator's joins after the creation are not its child's",
			"promise 0 0; promise 0 1; async 0 1; async 1 2; block 2 1; block 1 0; async 0 3; set 3 0; await 1 0; end 1; end 3; set 0 1; await 2 1; end 2; end 0"},
		{"a task that was woken and has not gone on is not active",
			"promise 0 0; async 0 1; block 1 0; async 0 2; block 2 0; set 0 0; await 1 0; end 1; await 2 0; end 2; end 0"},
		{"a task that was passed over is not active",
			"promise 0 0; finish 0; async 0 1; async 1 2; block 2 0; finish 1; async 1 3; block 3 0; set 0 0; await 2 0; end 2; await 3 0; end 3; endfinish 1; end 1; endfinish 0; end 0"},
		{"the setter's strand after the set does not precede who awaits",
			"promise 0 0; async 0 1; block 1 0; async 0 2; set 2 0; await 1 0; end 1; end 2; async 0 3; await 3 0; end 3; end 0"},
		{"a future's get carries what the future joined, a finish around it does not",
			"promise 0 0; async 0 1; set 1 0; end 1; finish 0; create 0 2; await 2 0; end 2; endfinish 0; get 0 2; end 0"},
		{"a waiter of a future may have been woken by its sync, which it did not wait for",
			"promise 0 0; create 0 1; block 1 0; async 0 2; spawn 2 3; set 0 0; await 1 0; end 1; get 3 1; end 3; get 2 1; sync 2; end 2; end 0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, fresh := range []structtest.New{fresh, slow} {
				if err := structtest.Run(structtest.List(t, c.program), fresh); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// What is outside the class or the order is refused where it stands, and says why.
func TestRefusals(t *testing.T) {
	const stacked = "not that of a serial run with task switching"
	for _, c := range []struct{ name, program, want string }{
		{"fork", "fork 0 1", "line 1: fork 0 1: .* lattice .*(task 1, started in line 1)"},
		{"join of nobody's line", "async 0 1; fork 1 2", "line 2: .* lattice "},

		{"async in a sync block", "finish 0; spawn 0 1; end 1; async 0 2", "line 4: .*async inside a sync block.*(task 1, started in line 2)"},
		{"async in a spawned task", "finish 0; spawn 0 1; async 1 2", "line 3: .*async inside a sync block.*(task 1, "},
		{"async that nobody joins in a spawned task", "spawn 0 1; async 1 2", "line 2: .*async inside a sync block.*(task 1, "},
		{"spawn in a finish in a sync block", "spawn 0 1; end 1; finish 0; spawn 0 2", "line 4: .*spawn inside a finish.*(task 1, "},
		{"deeper", "spawn 0 1; end 1; finish 0; finish 0; async 0 3; end 3; spawn 0 2", "line 7: .*spawn inside a finish.*(task 1, "},
		{"sync in a finish in a sync block", "spawn 0 1; end 1; finish 0; sync 0", "line 4: .*sync inside a finish.*(task 1, "},
		{"finish that ends in a sync block", "finish 0; spawn 0 1; end 1; endfinish 0", "line 4: .*ends inside a sync block.*(task 1, "},
		{"async of an outer finish in a future", "finish 0; create 0 1; async 1 2", "line 3: .*async inside a future"},

		{"the parent runs first", "async 0 1; async 0 2", "line 2: .*" + stacked + ".*should go on (task 1, "},
		{"a task runs after it should wait", "promise 0 0; finish 0; async 0 1; block 1 0; async 0 2; set 0 0", "line 6: .*" + stacked + ".*(task 2, "},
		{"a blocked task goes on", "promise 0 0; async 0 1; block 1 0; async 1 2", "line 4: .*waits for a promise.*(task 0)"},
		{"the setter goes on before those it wakes", "promise 0 0; async 0 1; block 1 0; set 0 0; async 0 2", "line 5: .*" + stacked + ".*(task 1, "},
		{"the last to have blocked goes on first", "promise 0 0; async 0 1; block 1 0; async 0 2; block 2 0; set 0 0; await 2 0", "line 7: .*" + stacked + ".*(task 1, "},
		{"a woken task does something else", "promise 0 0; promise 0 1; set 0 1; async 0 1; block 1 0; set 0 0; await 1 1", "line 7: .*does not await"},
		{"a wait for a promise without a block", "promise 0 0; async 0 1; set 0 0; await 1 0", "line 3: .*" + stacked + ".*(task 1, "},
		{"a task whose finish is complete is passed over", "promise 0 0; async 0 1; finish 1; async 1 2; block 2 0; set 0 0; await 2 0; end 2; async 0 3", "line 9: .*" + stacked + ".*(task 1, "},
		{"a task that let another go on does not wait", "promise 0 0; async 0 1; finish 1; async 1 2; block 2 0; async 0 3; end 3; async 1 4", "line 8: .*" + stacked},
		{"a future that has ended is got late", "promise 0 0; create 0 1; block 1 0; async 0 2; set 0 0; await 1 0; end 1; async 0 3; end 3; get 2 1", "line 10: .*" + stacked + ".*(task 0)"},
		{"the last to wait for a future gets it first", "promise 0 0; create 0 1; block 1 0; async 0 2; async 0 3; set 0 0; await 1 0; end 1; get 3 1; end 3; get 2 1", "line 11: .*" + stacked + ".*(task 0)"},
		{"a wait for a finish that turns out to be for something else", "promise 0 0; async 0 1; finish 1; async 1 2; block 2 0; set 0 0; await 2 0; end 2; async 1 3", "line 9: .*" + stacked + ".*does something else"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := structtest.Run(structtest.List(t, c.program), fresh)
			if err == nil {
				t.Fatalf("%s is not refused", c.program)
			}
			rest := err.Error()
			for _, part := range strings.Split(c.want, ".*") {
				_, after, ok := strings.Cut(rest, part)
				if !ok {
					t.Fatalf("%s: %q, want %q", c.program, err, c.want)
				}
				rest = after
			}
		})
	}
}
