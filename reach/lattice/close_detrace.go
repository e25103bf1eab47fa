package lattice

// Close gives the memory back; e must be initialised again before use.
func (e *Engine) Close() {
	e.sets.Close()
	*e = Engine{}
}
