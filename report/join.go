package report

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/detrace/detrace/internal/record"
	"github.com/detrace/detrace/race"
)

// missingJoin is the join of the branch that was started earlier, before the
// start of the other one, or before the access of the ancestor itself. x and y
// are the first tasks of the branches that lead to the first and the second
// access; one of them is 0 where the ancestor made that access.
func (b *builder) missingJoin(f *found, x, y uint32) *race.MissingJoin {
	early, late, access, other := x, y, f.rec.First, f.rec.Second
	if x == 0 || y != 0 && b.startedBefore(y, x) {
		early, late, access, other = y, x, other, access
	}
	m := &race.MissingJoin{Spawn: b.step(early)}
	fork := b.file.Stacks[b.file.Tasks[early].ForkStack]
	if late != 0 {
		stack := b.file.Stacks[b.file.Tasks[late].ForkStack]
		m.After, m.Before = between(fork, stack, spawnerIndex(stack))
	} else {
		stack := b.file.Stacks[other.Stack]
		m.After, m.Before = between(fork, stack, siteIndex(stack))
	}
	m.Text = joinText(m, sitePos(b.file.Stacks[access.Stack]), late != 0, access.Task != early)
	return m
}

// between is two places of one function: where it led to a go statement, and
// where it led to the frame at of stack. That is the function in which a join
// can stand, and neither the go statement nor the other need be in it. Where
// there is none, it is the go statement and the frame themselves.
func between(fork, stack record.Stack, at int) (after, before race.Pos) {
	spawner := spawnerIndex(fork)
	if spawner < 0 || at < 0 {
		return race.Pos{}, race.Pos{}
	}
	i, j := len(fork)-1, len(stack)-1
	for i > spawner && j > at && fork[i] == stack[j] {
		i, j = i-1, j-1
	}
	if fork[i].Func != stack[j].Func || fork[i].Std {
		i, j = spawner, at
	}
	return posOf(fork[i]), posOf(stack[j])
}

func (b *builder) startedBefore(x, y uint32) bool {
	i, j := b.file.Tasks[x].ForkIndex, b.file.Tasks[y].ForkIndex
	return i < j || i == j && x < y
}

// joinWords are the words of a report for what starts a task: the function that it was
// called through, what it starts, and the join that goes with it.
type joinWords struct{ via, who, join string }

// joins has the words of each; the last go with the rest.
var joins = []joinWords{
	{taskPackage + "Create", "task", "a Get of its future"},
	{taskPackage + "(*Group)", "task", "a Sync of its group"},
	{taskPackage + "(*Scope)", "task", "the end of its Finish"},
	{taskPackage + "(*Line)", "task", "a Join of its line"},
	{taskPackage + "(*Pipeline", "task", "a stage that waits for the item before"},
	{"golang.org/x/sync/errgroup.(*Group)", "goroutine", "a Wait of its group"},
	{"sync.(*WaitGroup)", "goroutine", "a join such as wg.Wait()"},
	{"", "goroutine", "a join such as wg.Wait() or a channel receive"},
}

// joinText says which join is missing. early is the access that would have to
// be over; nested says that a task further down the branch makes it.
func joinText(m *race.MissingJoin, early race.Pos, beforeSpawn, nested bool) string {
	spawn, before := short(m.Spawn.Pos()), short(m.Before)
	j := joins[slices.IndexFunc(joins, func(j joinWords) bool { return strings.HasPrefix(m.Spawn.Via, j.via) })]
	if beforeSpawn && m.After == m.Before {
		return fmt.Sprintf("the %ss started at %s run at the same time: nothing makes one finish %s before the next starts; "+
			"give each its own copy and combine them after a join, or wait for one before starting the next", j.who, spawn, short(early))
	}
	who, what := fmt.Sprintf("the %s started at %s", j.who, spawn), before+" runs"
	if nested {
		who += ", with those it starts,"
	}
	if beforeSpawn {
		what = before + " starts the other"
	}
	text := fmt.Sprintf("nothing makes %s finish %s before %s; %s belongs between %s and %s", who, short(early), what, j.join, short(m.After), before)
	switch {
	case j.via == "":
		text += ", signalled only after " + short(early)
	case nested:
		text += ", passed only after " + short(early)
	}
	return text
}

// short is a position for use inside a sentence.
func short(p race.Pos) string {
	if p.File == "" {
		return "an unknown place"
	}
	return fmt.Sprintf("%s:%d", filepath.Base(p.File), p.Line)
}
