package forder

// Close gives the memory back; e must be initialised again before use.
func (e *Engine) Close() {
	e.strands.Close()
	e.levels.Close()
	e.labels.Close()
	e.pasts.Close()
	*e = Engine{}
}
