package structured

import (
	"github.com/detrace/detrace/event"
	"github.com/detrace/detrace/history"
	"github.com/detrace/detrace/reach"
)

// fixed is one engine with the history that suits it.
type fixed struct {
	*ordered
	history *history.History
}

func (f *fixed) do(_ *Judge, c *reach.Construct) reach.Refusal { return f.Do(c) }

func (f *fixed) runs(_ *Judge, t reach.Task) reach.Refusal { return f.mayAccess(t) }

func (f *fixed) access(j *Judge, s reach.Strand, e *event.Event, id uint64) reach.Refusal {
	remember(j, f.history, s, e, id)
	return reach.Refusal{}
}

// remember makes an access in a history and reports what it races with.
func remember(j *Judge, h *history.History, s reach.Strand, e *event.Event, id uint64) {
	if races := h.Access(opOf(e.Kind), e.Addr, e.Addr+(e.Size-1), history.Access{Strand: s, ID: id}); len(races) > 0 {
		j.report(s, e, races)
	}
}

func (f *fixed) alloc(addr, last uint64) { f.history.Alloc(addr, last) }

func (f *fixed) name() string { return f.ordered.name }

func (f *fixed) over(j *Judge) {
	j.stats.EngineBytes, j.stats.HistoryBytes = f.bytes(), uint64(f.history.Bytes())
}

func (f *fixed) close() { f.Close() }
