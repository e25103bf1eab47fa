package drdp_test

import (
	"testing"

	"github.com/detrace/detrace/internal/mutants"
)

// TestMutants shows that the tests notice each of the wrong variants.
func TestMutants(t *testing.T) {
	mutants.Run(t, "^Test(Conformance|Large|Days|Epochs|Regressions|Refusals)$", []mutants.Mutant{
		{"strands after a finish stay inside it", "drdp.go", "	t.node = e.nodes.At(t.node).parent\n", ""},
		{"what a finished task joined is lost", "drdp.go", "if k.position != k.base {", "if false {"},
		{"a set carries what its setter joins later", "drdp.go", "e.promises.At(c.Promise).position)", "e.task(c.Other).position)"},
		{"a child does not know what its creator joined", "drdp.go", "position: t.position, base: t.position}", "position: 0, base: 0}"},
		{"a finish around a create joins the future", "drdp.go", "		parent = 0\n", ""},
		{"a future does not know what its creator joined", "drdp.go", "e.newJoin(c.Other, 0, c.Before, t.position)", "e.newJoin(c.Other, 0, c.Before, 0)"},
		{"only the last to have blocked is woken", "drdp.go", "c.Promise, p.waiters, uint32(c.Task)", "c.Promise, 0, uint32(c.Task)"},
		{"a finish in a sync block forgets the block", "drdp.go", "s.opener = e.own(t).opener", "s.opener = 0"},
		{"an async precedes what is right of it", "tree.go", "return n.key < o.key && !n.async()", "return n.key < o.key"},
		{"an async precedes what its creator does later", "tree.go", "return n.key < b && !n.async()", "return n.key < b"},
		{"what a task does after a fork precedes the child", "tree.go", "return a < n.key", "return true"},
		{"a woken task counts as active", "joins.go", "s.state == running && t.state", "s.state <= woken && t.state"},
		{"what is active precedes one that has not gone on", "joins.go", "t.state == running && s.place", "t.state <= woken && s.place"},
		{"a task that waits stays active", "order.go", "		k.state = waiting\n", ""},
		{"links are younger than their joins", "joins.go", "e.joins.At(prev).newest, e.joins.At(link).newest)", "e.joins.At(prev).newest)"},
		{"the search follows no links", "joins.go", "if j.link != 0 {", "if false {"},
		{"the search takes old stamps for its own", "joins.go", "		e.seen.Discard(0, e.joinCount+1)\n", ""},
		{"a set precedes nothing but what its own task's awaits say", "joins.go", "j.leaf == a || a < j.leaf && e.inTree(a, j.leaf) {", "j.leaf == a {"},
		{"what a creator joins later is its child's", "joins.go", "t, position = k.creator, k.base", "t = k.creator"},
		{"a set carries what its setter joined after it", "joins.go", "j.link >= after[i] && ", ""},
		{"a later set of a task carries the joins of its creator since", "joins.go", "j.link >= after[i] &&", "j.link >= after[i]-1 &&"},
		{"the children of a task are confined to it", "joins.go", " && !t.forked", ""},
		{"a task that its finish joined is confined", "joins.go", " && t.state != joined", ""},
		{"answers are taken for those to other questions", "joins.go", "if m.task != uint32(u.Task()) || m.position != position {", "if m.task == 0 {"},
		{"answers for a strand are kept for later ones", "joins.go", "case a <= m.yes:", "case m.yes != 0:"},
		{"whoever is on top may be passed over", "order.go", "!e.mayWait(e.tasks.At(id))", "false"},
		{"a future is got in any order of those that wait", "order.go", "f.since < t.since && ", ""},
		{"a future is got when others have run since its end", "order.go", " && e.stack.At(f.height).ran < f.ended", ""},
	})
}
