package drdp

// Close gives the memory back; the engine must be initialised again before use.
func (e *Engine) Close() {
	e.nodes.Close()
	e.leaves.Close()
	e.tasks.Close()
	e.scopes.Close()
	e.joins.Close()
	e.promises.Close()
	e.futures.Close()
	e.stack.Close()
	e.queue.Close()
	e.seen.Close()
	e.memo.Close()
	*e = Engine{}
}
