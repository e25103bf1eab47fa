package order

// Close gives the memory back; e must be initialised again before use.
func (e *Engine) Close() {
	e.strands.Close()
	e.closers.Close()
	e.order.close()
	*e = Engine{}
}

func (o *spOrder) close() {
	if o.listed {
		o.lists.english.Close()
		o.lists.hebrew.Close()
		o.lists.items.Close()
		o.lists.ends.Close()
	} else {
		o.labels.Close()
	}
}
