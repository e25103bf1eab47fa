// Package wavefront has the order of programs that fill a square of blocks, each of
// which reads blocks above it and left of it.
package wavefront

// A Front is such a problem.
type Front interface {
	// Blocks is the number of rows of blocks, and of columns.
	Blocks() int
	// Fill computes the block in row i and column j. Those above and left of it must
	// be complete.
	Fill(i, j int)
	// Variant says which variant is wanted: general futures, and a missing order
	// between each block and the one above it.
	Variant() (general, racy bool)
}

// Serial fills all blocks row by row.
func Serial[F Front](f F) {
	for i := range f.Blocks() {
		for j := range f.Blocks() {
			f.Fill(i, j)
		}
	}
}
