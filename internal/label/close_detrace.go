package label

// Close gives the memory back; f must be initialised again before use.
func (f *Forest) Close() {
	f.levels.Close()
	*f = Forest{}
}
