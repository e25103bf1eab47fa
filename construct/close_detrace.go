package construct

// Close gives the memory back; the run must be initialised again before use.
func (r *Run) Close() {
	r.tasks.Close()
	r.finishes.Close()
	r.promises.Close()
	r.joined.Close()
	*r = Run{}
}

// Close gives the memory back; d must be initialised again before use.
func (d *DepthFirst) Close() { d.stack.Close() }
