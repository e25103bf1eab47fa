package disjoint

// Close gives the memory back; s must be initialised again before use.
func (s *Sets) Close() { s.words.Close() }

// Close gives the memory back; b must be initialised again before use.
func (b *Bags) Close() { b.tasks.Close() }

// Close gives the memory back; n must be initialised again before use.
func (n *Nest) Close() {
	n.newest.Close()
	n.older.Close()
}

// Close gives the memory back; f must be initialised again before use.
func (f *Finishes) Close() {
	f.owners.Close()
	f.within.Close()
}
