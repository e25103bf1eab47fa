package report

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/detrace/detrace/internal/record"
	"github.com/detrace/detrace/race"
)

// rule is what there is to say about a reason's code.
type rule struct {
	code   string
	detail string
	remedy string
}

var rules = map[uint32]rule{
	record.ReasonLockOrder: {"lock-order",
		"the schedule decides which goroutine takes this lock first",
		"hand results over through a join or a channel with one sender, and combine them in a fixed order"},
	record.ReasonAtomic: {"atomic",
		"the schedule decides the order of these atomic operations",
		"read the variable only after a join, or give each goroutine its own and combine them after the join"},
	record.ReasonSelect: {"select",
		"the schedule decides which case of this select runs, or whether this context is cancelled by now",
		"receive from the channels one after the other, or make at most one case ready at a time; wait for ctx.Done()"},
	record.ReasonChannelOrder: {"channel-order",
		"the schedule decides in which order values of several goroutines pass through this channel, or how many wait in it",
		"give each goroutine its own channel, or write results to a slice by index and join"},
	record.ReasonHistoryFull: {"history-full",
		"the access history ran out of room, so some accesses were not compared",
		"judge a smaller input"},
	record.ReasonFirstCaller: {"first-caller",
		"the schedule decides which of these calls is the first, the only one that counts",
		"let each goroutine keep its own result, and choose among them after the join"},
	record.ReasonIOOrder: {"io-order",
		"the schedule decides which of these comes first at one file or connection",
		"let each goroutine keep its own text, and write it after the join; let it read from a file of its own, or by ReadAt"},
	record.ReasonEndOrder: {"end-order",
		"the schedule decides whether this is written, or how far this goroutine comes, before the program ends",
		"wait for the goroutine before main returns, and before os.Exit"},
}

// lucky is about pairs of accesses, which are recorded like races.
var lucky = rule{"luck",
	"this schedule orders these two accesses, but only by who came first to a lock, a print or the like: another schedule may not",
	"order them by a join or a channel, or let one lock protect both"}

// Directive is the code of comments that were meant as directives and say nothing.
const Directive = "directive"

// faulty is about them.
var faulty = rule{Directive,
	"this comment says nothing: a directive is ignore or commutative, with no space in front, and why, at what it is about",
	"write //detrace:ignore or //detrace:commutative and the reason after it"}

// Reasons that describe the run itself.
const (
	codeUnfinished = "unfinished"
	codeFull       = "records-full"
	codeDamaged    = "records-damaged"
	codeObserved   = "observed-edges"
)

// runRules is what there is to say about those; their details name numbers.
var runRules = []rule{
	{codeUnfinished, "the program did not end by itself, or its records stop before its end", "let the program run to its end"},
	{codeFull, "the records file was full, so later races and reasons are missing", "fix what is reported and run again"},
	{codeDamaged, "the records are damaged", "run again; records must be copied whole"},
	{codeObserved, "this schedule's order of locks and channels was taken for given (-edges=observed)", "run without -edges=observed"},
}

// Explanation is what there is to say about all reasons with one code.
type Explanation struct {
	Code string
	// Detail is a sentence, Remedy one on what would remove the reason.
	Detail, Remedy string
	// Run says that it is about the run as a whole and has no place.
	Run bool
}

// Explanations has one for every code that a report may have, except for codes of
// later versions, which are unknown-N; sorted by code, those about the run last.
func Explanations() []Explanation {
	var all []Explanation
	for _, r := range rules {
		all = append(all, Explanation{r.code, r.detail, r.remedy, false})
	}
	for _, r := range []rule{lucky, faulty} {
		all = append(all, Explanation{r.code, r.detail, r.remedy, false})
	}
	for _, r := range runRules {
		all = append(all, Explanation{r.code, r.detail, r.remedy, true})
	}
	slices.SortFunc(all, func(x, y Explanation) int {
		return cmp.Or(compareBool(x.Run, y.Run), cmp.Compare(x.Code, y.Code))
	})
	return all
}

// Remedy is one line on what would remove a reason with this code, or "".
func Remedy(code string) string {
	for _, e := range Explanations() {
		if e.Code == code {
			return e.Remedy
		}
	}
	return ""
}

// reasons merges the recorded reasons by place, sorted by place, and adds what
// speaks against the run as a whole.
func (b *builder) reasons(o Options) []race.Reason {
	type key struct {
		code       string
		pos, other race.Pos
	}
	merged := map[key]*race.Reason{}
	for _, rec := range b.file.Reasons {
		r := b.reason(rec)
		if b.takenAway(rec.Code, r) {
			continue
		}
		k := key{code: r.Code, pos: r.Pos}
		if symmetric(rec.Code) {
			k.other = other(r)
		}
		old := merged[k]
		switch {
		case old == nil:
			merged[k] = &r
			continue
		case comparePos(other(r), other(*old)) < 0 && r.Other != nil || old.Other == nil:
			old.Other, old.OtherStack = r.Other, r.OtherStack
		}
		old.Count += r.Count
		old.Tests = mergeTests(old.Tests, r.Tests)
	}
	reasons := append(b.runReasons(o), b.luck()...)
	for _, x := range b.said.faulty() {
		reasons = append(reasons, race.Reason{Code: faulty.code, Pos: x.Pos, Detail: faulty.detail})
	}
	for _, r := range merged {
		reasons = append(reasons, *r)
	}
	slices.SortFunc(reasons, func(x, y race.Reason) int {
		return cmp.Or(comparePos(x.Pos, y.Pos), cmp.Compare(x.Code, y.Code), comparePos(other(x), other(y)))
	})
	return reasons
}

// luck is the pairs that only the schedule ordered.
func (b *builder) luck() []race.Reason {
	var reasons []race.Reason
	for _, pair := range b.pairs(b.file.Luck) {
		second := pair.Second.Pos
		reasons = append(reasons, race.Reason{
			Code: lucky.code, Detail: lucky.detail, Count: pair.Count,
			Pos: pair.First.Pos, Stack: pair.First.Stack, Other: &second, OtherStack: pair.Second.Stack, Pair: &pair, Tests: pair.Tests,
		})
	}
	return reasons
}

// takenAway reports whether the source says that a reason does not matter.
func (b *builder) takenAway(code uint32, r race.Reason) bool {
	if b.said.ignores(r.Count, r.Pos, other(r)) {
		return true
	}
	switch code {
	case record.ReasonAtomic, record.ReasonLockOrder, record.ReasonChannelOrder, record.ReasonIOOrder:
		return r.Other != nil && (code == record.ReasonAtomic && b.said.addsOnly(r.Pos, *r.Other) || b.said.commute(r.Count, r.Pos, *r.Other))
	}
	return false
}

// symmetric reports whether the two places of a reason have the same part in
// it. Of a lock, the first took it and the second had it before.
func symmetric(code uint32) bool { return code != record.ReasonLockOrder }

func other(r race.Reason) race.Pos {
	if r.Other == nil {
		return race.Pos{}
	}
	return *r.Other
}

// reason puts the place that stands first in the source first, where it does
// not matter.
func (b *builder) reason(rec record.Reason) race.Reason {
	rule, ok := rules[rec.Code]
	if !ok {
		rule.code, rule.detail = fmt.Sprintf("unknown-%d", rec.Code), "a reason that this detrace does not know"
	}
	one, two := b.file.Stacks[rec.Stack], b.file.Stacks[rec.Stack2]
	swap := symmetric(rec.Code) && len(two) > 0 && comparePos(sitePos(one), sitePos(two)) > 0
	if len(one) == 0 || swap {
		one, two = two, one
	}
	r := race.Reason{Code: rule.code, Detail: rule.detail, Count: rec.Count, Pos: sitePos(one), Stack: framesOf(one), Tests: b.testNames(rec.Test)}
	if len(two) > 0 {
		pos := sitePos(two)
		r.Other, r.OtherStack = &pos, framesOf(two)
	}
	return r
}

// runReasons is why a run cannot be certified whatever it recorded: a verdict
// about all schedules needs the whole of one.
func (b *builder) runReasons(o Options) []race.Reason {
	reasons := []race.Reason{}
	add := func(code, format string, args ...any) {
		reasons = append(reasons, race.Reason{Code: code, Detail: fmt.Sprintf(format, args...)})
	}
	h, p := b.file.Header, o.Program
	switch {
	case p != nil && p.Signal != "":
		add(codeUnfinished, "the program was killed by %s: the rest of it was not judged", p.Signal)
	case !h.Finished && p != nil:
		add(codeUnfinished, "the program ended (exit code %d) before it could close its records: what was not recorded is not judged", p.ExitCode)
	case !h.Finished:
		add(codeUnfinished, "the program had not ended when these records were read: the rest of it was not judged")
	}
	if h.Dropped {
		add(codeFull, "the records file was full, so later races and reasons are missing")
	}
	if b.file.Damage != nil {
		add(codeDamaged, "the records are damaged: %v", b.file.Damage)
	}
	if o.ObservedEdges {
		add(codeObserved, "the order in which this schedule took locks and met on channels was taken for given (-edges=observed)")
	}
	return reasons
}
