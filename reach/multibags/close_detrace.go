package multibags

// Close gives the memory back; e must be initialised again before use.
func (e *Engine) Close() {
	e.bags.Close()
	e.finishes.Close()
	e.creators.Close()
	*e = Engine{}
}
