package sforder

// Cramp leaves room for so many pieces of sets only.
func (e *Engine) Cramp(pieces uint32) {
	e.sets.pieces.Close()
	e.sets.pieces.Init(pieces + 1)
}
