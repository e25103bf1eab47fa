package structured

import (
	"fmt"
	"testing"

	"github.com/detrace/detrace/construct"
	"github.com/detrace/detrace/history"
	"github.com/detrace/detrace/reach"
	"github.com/detrace/detrace/reach/sforder"
)

// BenchmarkReaders compares the two readers per future that the SF-Order paper keeps
// with the list of all readers: k futures read a location in 16 parallel strands each,
// their creator gets them and writes it.
func BenchmarkReaders(b *testing.B) {
	for _, policy := range []struct {
		name  string
		fresh func(*sforder.Engine) *history.History
	}{
		{"two-per-future", func(e *sforder.Engine) *history.History { return history.NewTwoPerFuture(e) }},
		{"reader-list", func(e *sforder.Engine) *history.History { return history.NewReaderList(e) }},
	} {
		for _, k := range []int{1, 8, 64, 512} {
			b.Run(fmt.Sprintf("%s/futures=%d", policy.name, k), func(b *testing.B) {
				r := newReaders(k)
				defer r.close()
				var bytes int
				for b.Loop() {
					bytes = r.judge(policy.fresh(&r.engine))
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(r.reads)), "ns/access")
				b.ReportMetric(float64(bytes), "history-bytes")
			})
		}
	}
}

// readers is a program that has run, but for its accesses.
type readers struct {
	run    construct.Run
	engine sforder.Engine
	reads  []reach.Strand // in the order in which they are made
	write  reach.Strand
}

const readersPerFuture = 16

func newReaders(k int) *readers {
	r := new(readers)
	r.run.Init(uint32(k*(readersPerFuture+1)) + 2)
	r.engine.Init(uint32(k*(readersPerFuture+1))+2, uint32(4*k*(readersPerFuture+1))+8)
	main := reach.Root.Task()
	var futures []reach.Task
	for range k {
		f := r.do(reach.Create, main, 0)
		futures = append(futures, f)
		for range readersPerFuture {
			c := r.do(reach.Spawn, f, 0)
			r.reads = append(r.reads, r.run.Current(c))
			r.do(reach.End, c, 0)
		}
		r.do(reach.Sync, f, 0)
		r.do(reach.End, f, 0)
	}
	for _, f := range futures {
		r.do(reach.Get, main, uint32(f))
	}
	r.write = r.run.Current(main)
	return r
}

func (r *readers) do(kind reach.Kind, t reach.Task, arg uint32) (started reach.Task) {
	c, refusal := r.run.Do(kind, t, arg)
	if !refusal.Refused() {
		refusal = r.engine.Do(c)
	}
	if refusal.Refused() {
		panic(refusal.Why)
	}
	return c.Other
}

// judge makes the accesses and returns the memory of the history after the reads.
func (r *readers) judge(h *history.History) (bytes int) {
	for _, s := range r.reads {
		h.Access(history.Read, 0, 7, history.Access{Strand: s})
	}
	bytes = h.Bytes()
	if races := h.Access(history.Write, 0, 7, history.Access{Strand: r.write}); len(races) > 0 {
		panic("a write after all joins races")
	}
	return bytes
}

func (r *readers) close() {
	r.run.Close()
	r.engine.Close()
}
