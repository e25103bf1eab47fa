package omlist

// Close gives the memory back; l must be initialised again before use.
func (l *List) Close() {
	l.items.Close()
	l.groups.Close()
	*l = List{}
}
