package multibagsplus

// Close gives the memory back; e must be initialised again before use.
func (e *Engine) Close() {
	e.dsp.Close()
	e.dnsp.Close()
	e.proxies.Close()
	e.nest.Close()
	e.owners.Close()
	e.attachedAtFork.Close()
	e.r.nodes.Close()
	e.r.rows.blocks.Close()
	*e = Engine{}
}
