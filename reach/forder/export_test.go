package forder

// Cramp leaves room for so many elements of pasts only. Pasts must be empty.
func (e *Engine) Cramp(elements uint32) {
	e.pasts.Close()
	e.pasts.Init(elements + 1)
}
