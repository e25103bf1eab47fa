package structured

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/detrace/detrace/event"
	"github.com/detrace/detrace/reach"
)

// TestBytes compares the set with an array.
func TestBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		var b Bytes
		var in [300]bool
		for range r.IntN(200) {
			lo := r.IntN(len(in))
			hi := lo + r.IntN(min(len(in)-lo, 1+r.IntN(20)))
			b.add(uint64(lo), uint64(hi))
			for i := lo; i <= hi; i++ {
				in[i] = true
			}
			if r.IntN(9) == 0 {
				b.Ranges()
			}
		}
		n, ranges := 0, b.Ranges()
		for i, want := range in {
			got := false
			for j, x := range ranges {
				got = got || x.Lo <= uint64(i) && uint64(i) <= x.Last
				if j > 0 && x.Lo <= ranges[j-1].Last+1 {
					t.Fatalf("ranges %v touch", ranges)
				}
			}
			if got != want {
				t.Fatalf("%d is in: %v, want %v", i, got, want)
			}
			if want {
				n++
			}
		}
		if b.Len() != uint64(n) {
			t.Fatalf("%d bytes, want %d", b.Len(), n)
		}
	}
	var all Bytes
	all.add(0, math.MaxUint64)
	if all.Len() != math.MaxUint64 {
		t.Errorf("all addresses: %d", all.Len())
	}
}

// refusal judges events until one is refused.
func refusal(t *testing.T, c Config, next func(i int) event.Event) string {
	t.Helper()
	j, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	for i := range 1 << 20 {
		if err := j.Do(next(i)); err != nil {
			var refused *Refused
			if errors.As(err, &refused) && refused.Engine != c.Engine {
				t.Errorf("refused by %s", refused.Engine)
			}
			return err.Error()
		}
	}
	return ""
}

// TestOracleLimits shows that the oracle says when it is asked too much.
func TestOracleLimits(t *testing.T) {
	for _, tt := range []struct {
		want string
		next func(i int) event.Event
	}{
		{"takes at most 16384 strands", func(i int) event.Event {
			return event.Event{Kind: event.Of(reach.Spawn), Arg: uint32(i + 1)}
		}},
		{"at most 1048576 bytes altogether", func(i int) event.Event {
			return event.Event{Kind: event.Write, Addr: uint64(i) << 20, Size: 1000}
		}},
		{"at most 1048576 bytes altogether", func(int) event.Event { return event.Event{Kind: event.Write, Size: math.MaxUint64} }},
		{"at most 4194304 pairs", func(int) event.Event { return event.Event{Kind: event.Write, Addr: 1, Size: 1} }},
	} {
		if got := refusal(t, Config{Engine: Oracle}, tt.next); !strings.Contains(got, tt.want) {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}

// TestRoomIsLimited shows that every engine says so when there is no more room.
func TestRoomIsLimited(t *testing.T) {
	for _, engine := range append(Engines(), Auto) {
		kind := reach.Spawn
		if engine == "lattice" {
			kind = reach.Fork
		}
		parent := uint32(0)
		got := refusal(t, Config{Engine: engine, Tasks: 100, Strands: 100}, func(i int) event.Event {
			e := event.Event{Kind: event.Of(kind), Task: parent, Arg: uint32(i + 1), Line: i + 2}
			parent = e.Arg
			return e
		})
		if !strings.Contains(got, "too many") && !strings.Contains(got, "room") {
			t.Errorf("%s: got %q", engine, got)
		}
	}
}

func TestUnknownEngine(t *testing.T) {
	if _, err := New(Config{Engine: "magic"}); err == nil || !strings.Contains(err.Error(), `no engine "magic"; there are spbags, `) {
		t.Errorf("got %v", err)
	}
}

// Lines are all that a race is told by: there is an end to them.
func TestLinesEnd(t *testing.T) {
	got := refusal(t, Config{Engine: "vclock", Tasks: 10}, func(int) event.Event {
		return event.Event{Kind: event.Read, Size: 1, Line: 1 << 32}
	})
	if !strings.Contains(got, "up to 4294967295 only") {
		t.Errorf("got %q", got)
	}
}
