package jointree_test

import (
	"testing"

	"github.com/detrace/detrace/internal/mutants"
	"github.com/detrace/detrace/reach/reachtest"
)

// faults are wrong variants of the algorithm that look right. Those marked
// refuted were believed for a while when it was designed.
var faults = []mutants.Mutant{
	{"refuted: a child is joined whole at its last release", "link.go",
		"link{upTo: upTo, to: s, at: q}", "link{upTo: upTo | ^uint32(0), to: s, at: q}"},
	{"refuted: a join by an ancestor skips the levels between", "link.go",
		"for top != s && !e.implied(top, upTo, s, q) {", "for top == c && !e.implied(top, upTo, s, q) {"},
	{"refuted: a join has no position in the parent", "tree.go",
		"return ok && task == l && at <= pos", "return ok && task == l && at <= ^uint32(0)"},
	{"keys tell where one is the beginning of the other", "key.go",
		"min(a&keyLength, b&keyLength)", "max(a&keyLength, b&keyLength)"},
	{"links of one task need not agree", "link.go",
		"return last.upTo < upTo && (last.to == s || e.implied(last.to, last.at, s, q))", "return last.upTo < upTo"},
	{"a shortcut may jump over the end of a first link", "tree.go",
		"offheap.Load32(&p.has) == 0 || r.first.at > p.first.upTo", "offheap.Load32(&p.has) == 0"},
	{"a child does not inherit the front", "jointree.go",
		"offheap.Release64(&c.current, p.current&^0xffffffff)", "offheap.Release64(&c.current, 0)"},
	{"a child is after the strand that follows the fork", "tree.go",
		"return e.task(y).fork\n", "return e.task(y).fork + 1\n"},
	{"the search in a front ends at the first interval", "front.go",
		"c, i = task, at\n", "return false\n"},
	{"the search in a front knows no links", "front.go",
		"task, at, ok := e.chainAt(c, i, x, l)", "task, at, ok := c, i, x == l"},
	{"a release leaves its front behind", "merge.go",
		"if f != 0 && f != g.front && f != g.last {", "if false {"},
	{"a later strand of a task in the front is taken for known", "merge.go",
		"list[0] == u", "list[0].Task() == u.Task()"},
	{"two lists are compared one strand too far", "front.go",
		"lo, step = step, 2*step", "lo, step = step+1, 2*step+1"},
	{"strands are inserted left of those they follow", "merge.go",
		"n += copy(merged[n:], old[:lo])", "lo = 0"},
	{"folding loses fronts", "object.go",
		"e.pushFrontAfter(s, h.Front, last, top, &seen)", "_ = seen"},
	{"folding takes any run for known to who knows most", "merge.go",
		"!e.knownToTop(e.tip(run), top)", "top.Task == 0"},
	{"an acquire takes any front for known to who knows most", "merge.go",
		"|| e.knownToTop(e.tip(b), g.top) ||", "|| g.top.Task != 0 ||"},
	{"an acquire takes every run for met", "merge.go",
		"run != told && !g.trunks.meets(run)", "run != told && g.trunks == nil"},
	{"folding takes every run for met", "trunk.go",
		"met := *at == run", "met := run != 0"},
	{"of a front all is dropped that the last front has from some strand on", "merge.go",
		"if len(known) > 0 && known[0] == u {", "if len(known) > 0 {"},
	{"folding loses the older base", "object.go",
		"e.pushFrontAfter(s, ob.base, 0, Handle{}, &seen)\n", "\n"},
	{"an acquirer takes a replaced newest node for one it has seen", "object.go",
		"if ob.n--; ob.seenN > ob.n {", "if ob.n--; false {"},
	{"what another acquirer saw is taken for seen", "object.go",
		"if ob.seenTask == t {", "if ob.seenTask != 0 {"},
	{"a swap leaves what it has just acquired", "object.go",
		"before := r.current\n\tnews = e.acquire(uint32(t), ob, true)\n", "news = e.acquire(uint32(t), ob, true)\n\tbefore := r.current\n"},
	{"a merge replaces", "object.go",
		"e.merge(ob, uint32(t), r.current)", "e.replace(ob, uint32(t), r.current)"},
	{"an acquire whose news are all linked begins no strand", "merge.go",
		"if !g.learned {", "if g.s == nil {"},
	{"ended tasks are forgotten by AcquireAll", "object.go",
		"offheap.Load32(&r.state)&stateUsed == 0", "offheap.Load32(&r.state)&stateUsed == 0 || offheap.Load32(&r.state)&stateEnded != 0"},
	{"a strand in front of its own interval", "front.go",
		"return a.Index() <= e.place(y)", "return a.Index() < e.place(y)"},
	{"a reclaimed task is replaced by what follows its fork", "collect.go",
		"c, i = r.parent, r.fork\n", "c, i = r.parent, r.fork+1\n"},
	{"the last acquirer outlives its id", "collect.go",
		"if ob.seenTask != 0 && (", "if ob.seenTask != 0 && ob.n > 1000 && ("},
	{"the links of a task are reclaimed", "collect.go",
		"if r.more != 0 {", "if false {"},
	{"who adopts a front loses what it does not say", "merge.go",
		"for b := g.basis; b != known; b", "for b := known; b != known; b"},
	{"who adopts a front loses the runs that it does not say", "merge.go",
		"b != known; b = e.nextRun(b)", "b != known; b = known"},
	{"any trunk is taken for known", "merge.go",
		"for told != 0 && !e.told(g, told) {", "for told == f && !e.told(g, told) {"},
	{"any front has all runs", "trunk.go",
		"if b == run {", "if true {"},
	{"a full delta is dropped", "merge.go",
		"e.insertInto(s, e.elements(g.basis))", "_ = trunk"},
	{"a run that others are merged with is dropped", "merge.go",
		"e.insertInto(s, e.elements(run))", ""},
	{"the runs that others are not merged with are dropped", "merge.go",
		"return e.store(g, lo, run)", "return e.store(g, lo, 0)"},
	{"two fronts go on with one line", "trunk.go",
		"own&continued != 0 || ", ""},
	{"an earlier version includes a later one", "trunk.go",
		"v>>32 == w>>32 && v >= w", "v>>32 == w>>32"},
	{"a trunk is as old as its first front", "trunk.go",
		"uint64(e.ownVersion(front))", "uint64(e.ownVersion(front)&^0xffffffff)"},
	{"what a task knew before is left out of the tip", "family.go",
		"if g.front == 0 || e.knownTo(e.tip(g.front), nd.handle()) {", "if true {"},
	{"a front has the strand before it for a tip", "merge.go",
		"return reach.StrandOf(reach.Task(g.t), g.q)\n", "return reach.StrandOf(reach.Task(g.t), g.q-1)\n"},
	{"everybody knows any tip", "trunk.go",
		"return e.PrecedesStrand(u, h)\n", "return true\n"},
	{"folding takes any tip for known", "object.go",
		"!e.knownToTop(e.tip(h.Front), top)", "(top.Task == 0 || e.tip(h.Front) == 0)"},
	{"the search in a front leaves out the trunk", "front.go",
		"for ; f != 0; f = e.nextRun(f) {", "for ; f != 0; f = 0 {"},
	{"folding drops what the newest release does not know", "object.go",
		"!e.PrecedesStrand(u, top)", "false"},
	{"folding takes any trunk for known", "object.go",
		"!e.claims(last, e.ownVersion(h.Front))", "e.trunk(h.Front) == 0"},
	{"a family's strand is known if any later one of the family is", "family.go",
		"r.ofParent() || next.rank == r.rank && next.strand >= r.strand", "r.ofParent() || next.rank >= r.rank"},
	{"a child knows what its parent does after the fork", "family.go",
		"r.ofParent() && r.rank < m.before", "r.ofParent()"},
	{"what is left of a strand of the parent is forgotten", "family.go",
		"m.n > 0 && m.last.ofParent()", "m.n > 0 && r.ofParent()"},
	{"what a merged family has left over is lost", "family.go",
		"m.n += uint32(copy(m.list[m.n:], old))", "_ = old"},
	{"a family has grandchildren", "family.go",
		"t.parent == parent && !t.succeeds() && (", "(t.parent == parent || e.task(t.parent).parent == parent) && !t.succeeds() && ("},
	{"the strand that released is not learned", "family.go",
		"if pending {\n", "if pending && len(front) == 0 {\n"},
	{"the trunk of a front that stays is reclaimed", "collect.go",
		"f = e.nextRun(f) {", "f = 0 {"},
	{"a front that shrinks forgets its trunk", "collect.go",
		" | h&(headerTrunk|headerRun)", " | h&headerRun"},
	{"a run that shrinks forgets those that follow", "collect.go",
		" | h&(headerTrunk|headerRun)", " | h&headerTrunk"},
}

// chainFaults are those that need a chain.
var chainFaults = []mutants.Mutant{
	{"a successor is after all of its sibling", "chain.go",
		"offheap.CAS32(&link.until, 0, i+1)", "offheap.CAS32(&link.until, 0, i+2)"},
	{"a task has two successors", "chain.go",
		"offheap.CAS32(&link.until, 0, i+1)", "offheap.CAS32(&link.until, offheap.Load32(&link.until), i+1)"},
	{"what a successor did before is after its sibling", "tree.go",
		"reach.StrandOf(reach.Task(t), j)) > e.", "reach.StrandOf(reach.Task(t), j)) >= e."},
	{"who has released takes another place", "chain.go",
		"!t.fresh() || g.settled", "g.settled"},
	{"strands from before a task succeeds are after its sibling", "chain.go",
		"own.start, link.after = e.rank(c)+1, c, g.q-1, g.t", "own.start, link.after = e.rank(c)+1, c, 0, g.t"},
	{"who releases at the same time takes another place", "chain.go",
		"!t.fresh() || g.settled", "!t.fresh()"},
	{"who was learned of by AcquireAll takes another place", "chain.go",
		"e.chainOf(t).settled = 1", "e.chainOf(t).settled = 0"},
	{"a successor does not name the strand that forked it", "chain.go",
		"e.add(g, reach.StrandOf(reach.Task(t.parent), t.fork))", "_ = reach.Strand(0)"},
	{"the strand that forked a successor is left out of the tip", "chain.go",
		"		g.tip = 0\n", ""},
	{"a task precedes those before it in its chain", "chain.go",
		" || rank >= successor", ""},
	{"what precedes through a descendant's link is cut short", "chain.go",
		"i = upTo\n", "i = min(upTo, 0)\n"},
	{"who is linked leaves behind those before it", "chain.go",
		"return e.absorbBefore(c, s, q) && e.link(c, p, s, q)", "return e.link(c, p, s, q)"},
	{"who is linked leaves behind those before its parent", "chain.go",
		"if r = e.task(w); r.succeeds() {", "if r = e.task(w); false {"},
	{"the front of a child of a successor is implied by the tree", "collect.go",
		"if e.chained != 0 && e.task(c).depth < e.task(t).depth {", "if false {"},
	{"a reclaimed successor says nothing of those before it", "collect.go",
		"if r.state&stateSucceeds != 0 && e.beforeKept(c) != 0 {", "if false {"},
	{"a front is left out of order", "collect.go",
		"if e.chained != 0 && e.less(v, ", "if false && e.less(v, "},
	{"a new task has the chain of a reclaimed one", "chain.go",
		"\t\t\t*link = chain{}\n", ""},
	{"a family does not know that chains have an order of their own", "family.go",
		"t.parent == parent && !t.succeeds() && (", "t.parent == parent && ("},
	{"siblings are in the order of their forks", "front.go",
		"return e.rank(x) < e.rank(y)", "return e.task(x).fork < e.task(y).fork"},
	{"the key of a successor is not that of its place", "chain.go",
		"\t\te.setKey(g.t)\n", ""},
	{"a successor has the key of the first in its chain", "key.go",
		"rank>>32<<1|1, e.maxKey", "rank>>32<<1, e.maxKey"},
	{"successors have one key", "key.go",
		".and(rank&(1<<32-1), e.maxKey)", ""},
	{"a successor is right of what its parent did before the fork", "front.go",
		"return e.place(x) < b.Index()", "return e.task(x).fork < b.Index()"},
}

// collectFaults need a task that is reclaimed and its number given to another.
var collectFaults = []mutants.Mutant{
	{"the tips of reclaimed tasks stay", "collect.go",
		"*e.blocks.words.At(w) = 0\n", "_ = w\n"},
}

// orderFaults are about the second of two orders.
var orderFaults = []mutants.Mutant{
	{"the second order has no keys", "orders.go",
		"	copyTable(&e.keys, &from.keys, from.taskIDs.fresh+1)\n", ""},
}

// familyFaults are about acquires in families.
var familyFaults = []mutants.Mutant{
	{"who catches up takes strands of tasks that it does not know for known", "family.go",
		"	case at == f.n:\n		return false\n", "	case at == f.n:\n		return true\n"},
	{"who catches up forgets who released", "family.go",
		"if !e.comes(&f, at, reach.StrandOf(reach.Task(nd.task), nd.index)) {", "if at == f.n {"},
	{"who has come further stays where it was", "family.go",
		"	f.list[at], f.news = u, true\n", "	f.news = true\n"},
	{"who catches up takes what has a link for news", "family.go",
		"	case offheap.Load32(&t.has) != 0 && e.covered(t, u.Index()):\n		return false\n", ""},
	{"who catches up learns nothing of those that the other knows", "family.go",
		"	for _, u := range learnt {\n		if uint32(u.Task()) == g.t {", "	for _, u := range learnt {\n		if true {"},
}

// trunkFaults need a trunk of many runs.
var trunkFaults = []mutants.Mutant{
	{"a run may be any length in any place", "merge.go",
		"run, room = e.nextRun(run), e.roomFor(s.n, room)", "run = e.nextRun(run)"},
}

// TestMutants shows that the conformance test, or that of trunks, families, chains, reclaimed tasks or two orders,
// notices each of the mutants.
func TestMutants(t *testing.T) {
	if reachtest.Race {
		t.Skip("the mutants are judged in builds without -race")
	}
	mutants.Run(t, "^TestConformance$", faults)
	mutants.Run(t, "^TestTrunks$", trunkFaults)
	mutants.Run(t, "^TestFamily", familyFaults)
	mutants.Run(t, "^TestChains", chainFaults)
	mutants.Run(t, "^TestTipOfReclaimedTask$", collectFaults)
	mutants.Run(t, "^TestOrders$", orderFaults)
}
