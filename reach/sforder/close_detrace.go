package sforder

// Close gives the memory back; e must be initialised again before use.
func (e *Engine) Close() {
	e.strands.Close()
	e.levels.Close()
	e.futures.Close()
	e.pseudo.Close()
	e.sets.pieces.Close()
	*e = Engine{}
}
