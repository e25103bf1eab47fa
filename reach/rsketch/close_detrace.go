package rsketch

// Close gives the memory back; e must be initialised again before use.
func (e *Engine) Close() {
	e.nodes.Close()
	e.tasks.Close()
	e.finishers.Close()
	e.stack.Close()
	e.anchors.Close()
	e.english.Close()
	e.hebrew.Close()
	e.closure.close()
}

func (c *closure) close() {
	c.vertices.Close()
	c.arcs.Close()
	c.entries.Close()
	c.blocks.Close()
	c.refs.Close()
}
