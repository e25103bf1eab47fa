//go:build !judged

package jointree

// Close gives all address space back; the engine must be initialised again
// before use.
func (e *Engine) Close() {
	e.tasks.Close()
	e.keys.Close()
	e.chains.Close()
	e.objects.Close()
	e.nodes.Close()
	e.taskIDs.stack.Close()
	e.objectIDs.stack.Close()
	e.nodeIDs.stack.Close()
	e.blocks.words.Close()
	for i := range e.scratch {
		e.scratch[i].list.Close()
		e.scratch[i].spare.Close()
	}
}

// Close is [Engine.Close], of both orders.
func (o *Orders) Close() {
	o.Engine.Close()
	if o.IsSplit() {
		o.certain.Close()
	}
}

// Close gives all address space back; the engine must be initialised again
// before use.
func (e *Structured) Close() {
	e.Engine.Close()
	e.strands.Close()
}
