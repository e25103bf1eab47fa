package shadow

import "github.com/detrace/detrace/internal/offheap"

// Close gives the memory back; h must be initialised again before use.
func (h *History) Close() {
	h.states.close()
	h.pairs.close()
	h.blocks.Table.Close()
	h.blocks.marks.Close()
	for i := range h.Windows {
		if w := &h.Windows[i]; w.Size != 0 {
			offheap.Unreserve(w.lines, w.Size/lineBytes*8)
			w.groups.Close()
			offheap.Unreserve(w.touched, w.Size/chunk*4)
			offheap.Unreserve(w.rolls, w.Size/chunk*4)
			offheap.Unreserve(w.regions, (w.Size/region+1)*4)
		}
	}
}

func (t *pairs) close() {
	t.records.Close()
	t.slots.Close()
	t.marks.Close()
}

func (t *states) close() {
	t.records.Close()
	t.few.Close()
	t.many.Close()
	t.far.Close()
	t.moving.Close()
	t.audiences.Close()
	t.audiences.readers.Close()
	t.journals.Close()
	t.rolls.Close()
	t.rolls.sheets.Close()
	t.rolls.slots.Close()
}
