package detect

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/detrace/detrace/internal/mutants"
	"github.com/detrace/detrace/internal/record"
	"github.com/detrace/detrace/internal/soak"
	"github.com/detrace/detrace/reach"
	"github.com/detrace/detrace/shadow"
)

// The channels of the tests lie one after the other; at their ends they are known.
const (
	channelSize = 128
	channelEnd  = 104
)

// wordsAt are the words of a channel.
var wordsAt = [channelWords]uintptr{Opens: 16, Sends: 48, Receives: 56}

// use is something that a task does with a channel, from one of few places.
type use struct {
	what          string
	task, channel int
	place         uint32
}

var uses = []string{"send", "send", "send", "send", "receive", "receive", "receive", "receive", "full", "full", "len", "end", "close",
	"lock", "lock", "unlock", "over", "fork", "release", "acquire", "observed", "forget", "beside", "collect"}

func randomUses(r *rand.Rand, n int) []use {
	tasks, channels, places := 1, 1+r.IntN(3), 1+r.IntN(4)
	var all []use
	for len(all) < n {
		u := use{uses[r.IntN(len(uses))], 1 + r.IntN(tasks), r.IntN(channels), uint32(r.IntN(places))}
		switch {
		case u.what == "fork" && tasks < 5:
			tasks++
		case u.what == "fork":
			u.what = "send"
		}
		all = append(all, u)
		for k := r.IntN(12); k > 0 && (u.what == "send" || u.what == "receive"); k-- {
			all = append(all, u) // over and over
		}
	}
	return all
}

// user is a detector of such programs: kept says that what words stand for is kept beside the history.
type user struct {
	*judged
	kept  bool
	told  []string
	tasks []reach.Task
	slots [4]int
}

func newUser(t *testing.T, kept bool) *user {
	u := &user{judged: newJudged(t), kept: kept}
	u.tasks = []reach.Task{0, u.Engine.Root()}
	tell := func(what string, addr uintptr, first, second shadow.Access) {
		at := func(a shadow.Access) string {
			task := u.Engine.Serial(a.Strand.Task()) // its number depends on when others are forgotten
			return fmt.Sprint(task, a.Strand.Index(), a.Place, a.Site, a.Context, a.Op, a.Locks)
		}
		if what == "unordered" && !u.NoMoves {
			second.Strand = reach.StrandOf(second.Strand.Task(), 0) // once for all strands that come back
		}
		one := at(first)
		if !u.NoMoves {
			one = fmt.Sprint(first.Site, first.Op) // of what else was done there some may be forgotten, or not yet
		}
		if s := fmt.Sprint(what, " ", addr, ": ", one, "; ", at(second)); !slices.Contains(u.told, s) {
			u.told = append(u.told, s)
		}
	}
	u.host.Unordered = func(addr uintptr, first, second shadow.Access) { tell("unordered", addr, first, second) }
	race, luck := u.host.Race, u.host.Luck
	u.host.Race = func(addr uintptr, first, second shadow.Access) *record.Entry {
		tell("race", addr, first, second)
		return race(addr, first, second)
	}
	u.host.Luck = func(addr uintptr, first, second shadow.Access) *record.Entry {
		tell("luck", addr, first, second)
		return luck(addr, first, second)
	}
	return u
}

// touch is an access to word w of a channel. Two places each are of one site.
func (u *user) touch(channel, w int, t reach.Task, op shadow.Op, place uint32) {
	p, header := u.proc(t), low+uintptr(channel)*channelSize
	u.Enter(p)
	defer u.Leave(p)
	stack := place*4 + uint32(op) // as a stack leads to one operation
	made := &shadow.Access{Place: 1 + place, Site: 1 + place/2, Context: 1 + stack, Op: op, Header: w == Opens}
	if !u.kept {
		u.Access(p, t, header+wordsAt[w], 1, uintptr(stack), made)
		return
	}
	if c := u.Channel(header + channelEnd); !u.Repeats(p, c, w, t, stack) {
		u.AccessWord(p, c, w, t, header+wordsAt[w], uintptr(stack), stack, made)
	}
}

func (u *user) do(s use) {
	t, header := u.tasks[s.task], low+uintptr(s.channel)*channelSize
	const object, lock = low + 0x1000, low + 0x2000
	slot := func() uintptr {
		u.slots[s.channel]++
		return header + channelSize*16 + uintptr(u.slots[s.channel]%3)*8
	}
	switch s.what {
	case "send":
		u.touch(s.channel, Opens, t, shadow.Read, s.place)
		u.touch(s.channel, Sends, t, shadow.AtomicWrite, s.place)
		u.ReleaseAcquire(t, slot())
	case "receive":
		u.touch(s.channel, Receives, t, shadow.AtomicWrite, s.place)
		u.ReleaseAcquire(t, slot())
	case "full":
		u.touch(s.channel, Opens, t, shadow.Read, s.place)
	case "len":
		u.touch(s.channel, Sends, t, shadow.AtomicRead, s.place)
		u.touch(s.channel, Receives, t, shadow.AtomicRead, s.place)
	case "end":
		u.touch(s.channel, Receives, t, shadow.AtomicRead, s.place)
	case "close":
		u.touch(s.channel, Opens, t, shadow.Write, s.place)
	case "lock":
		u.observed(t, lock+uintptr(s.channel)*8, u.AcquireObserved)
		u.Hold(t, lock+uintptr(s.channel)*8, true)
	case "unlock":
		if u.Holds(t, lock+uintptr(s.channel)*8, true) {
			u.Release(t, lock+uintptr(s.channel)*8)
			u.Drop(t, lock+uintptr(s.channel)*8, true)
		}
	case "fork":
		u.tasks = append(u.tasks, u.Fork(t, 0))
	case "over": // another task goes on
		if s.task > 1 {
			u.End(t)
			u.tasks[s.task] = u.Fork(u.tasks[1], 0)
		}
	case "release":
		u.Release(t, object)
	case "acquire":
		u.Acquire(t, object)
	case "observed":
		u.observed(t, object, u.AcquireObserved)
	case "forget":
		u.Forget(header, channelSize)
	case "beside":
		u.Forget(header+channelEnd+4, 4)
	case "collect":
		u.Collect(true)
	}
}

// tellsTheSame runs steps with and without channels; exactly says that the history forgets at once what
// it can.
func tellsTheSame(t *testing.T, steps []use, exactly bool) {
	kept, plain := newUser(t, true), newUser(t, false)
	kept.NoMoves, plain.NoMoves = exactly, exactly
	for i, s := range steps {
		kept.do(s)
		plain.do(s)
		if got, want := fmt.Sprint(kept.told), fmt.Sprint(plain.told); got != want {
			t.Fatalf("after %v:\nkept in channels:\n%v\nin the history:\n%v", steps[:i+1], got, want)
		}
	}
	if len(plain.told) == 0 && len(steps) < 12 {
		t.Error("there is nothing to tell")
	}
}

// What is kept of channels beside the history changes nothing that is told.
func TestChannels(t *testing.T) {
	for name, steps := range map[string][]use{
		"under a lock, and not": {{"full", 1, 0, 0}, {"fork", 1, 0, 0}, {"full", 1, 0, 0}, {"lock", 1, 0, 0}, {"full", 1, 0, 0}, {"unlock", 1, 0, 0},
			{"lock", 2, 0, 0}, {"close", 2, 0, 0}},
		"two places of one site in a strand": {{"fork", 1, 0, 0}, {"full", 1, 0, 0}, {"full", 1, 0, 1}, {"close", 2, 0, 0}},
		"two channels in a strand":           {{"fork", 1, 0, 0}, {"full", 1, 0, 0}, {"full", 1, 1, 2}, {"close", 2, 0, 0}, {"close", 2, 1, 0}},
		"a sender that has ended":            {{"fork", 1, 0, 0}, {"full", 2, 0, 0}, {"over", 2, 0, 0}, {"collect", 1, 0, 0}, {"fork", 1, 0, 0}, {"close", 1, 0, 0}},
	} {
		t.Run(name, func(t *testing.T) {
			tellsTheSame(t, steps, true)
			tellsTheSame(t, steps, false)
		})
	}
	first, count := soak.Seeds(400)
	for seed := first; seed < first+count && !t.Failed(); seed++ {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 3))
			tellsTheSame(t, randomUses(r, 20+r.IntN(80)), seed%2 == 0)
		})
	}
}

// Channels of memory that is gone are used again.
func TestChannelsAreUsedAgain(t *testing.T) {
	u := newUser(t, true)
	for range 10 {
		u.do(use{what: "send", task: 1})
		u.do(use{what: "forget", task: 1})
	}
	if u.channels.High() != 1 {
		t.Errorf("%d channels for one at a time", u.channels.High())
	}
}

// TestChannelsMutants shows that the tests notice a channel of which the history hears too little.
func TestChannelsMutants(t *testing.T) {
	mutants.Run(t, "^(TestChannels|TestChannelsAreUsedAgain)$", []mutants.Mutant{
		{Name: "the history is never told", File: "channel.go", Old: "		d.tell(p, q, addr)\n", New: ""},
		{Name: "another task is taken for the same", File: "channel.go", Old: "return q.strand.Task() == t && q.site", New: "return q.site"},
		{Name: "another task repeats", File: "channel.go", Old: "q.stack == stack && q.strand.Task() == t", New: "q.stack == stack"},
		{Name: "another site is taken for the same", File: "channel.go", Old: "q.site == made.Site && ", New: ""},
		{Name: "another operation is taken for the same", File: "channel.go", Old: "q.op == made.Op && ", New: ""},
		{Name: "locks do not count", File: "channel.go", Old: "q.op == made.Op && q.locks == l.Locks", New: "q.op == made.Op"},
		{Name: "a repetition under other locks", File: "channel.go", Old: " && q.locks == l.Locks && !q.told", New: " && !q.told"},
		{Name: "repetitions are not for the history", File: "channel.go", Old: " && !q.told; ok", New: "; ok"},
		{Name: "the strand stays", File: "channel.go", Old: "		q.strand = l.Strand\n", New: ""},
		{Name: "the later access of a strand counts", File: "channel.go", Old: "if q.strand != l.Strand {", New: "if true {"},
		{Name: "channels are used once", File: "objects.go", Old: "			d.channels.Put(e.lock)\n", New: ""},
		{Name: "new memory has the old channel", File: "../internal/offheap/stock.go", Old: "	var zero T\n	*s.At(i) = zero\n", New: ""},
		{Name: "what was told can be repeated", File: "channel.go", Old: "p.Uncounted = true", New: "p.Uncounted = false"},
		{Name: "collections forget who sent", File: "collect.go", Old: "	d.channels.keep(&d.Engine)\n", New: ""},
	})
}
