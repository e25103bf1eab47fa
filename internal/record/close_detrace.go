package record

// Close gives the memory back; x must be initialised again before use.
func (x *Index) Close() { x.entries.Close() }
