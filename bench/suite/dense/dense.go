// Package dense has the matrices of the suite's matrix programs and the product of
// two of them as a problem that checks itself.
package dense

import (
	"fmt"
	"math"

	"github.com/detrace/detrace/bench/suite/program"
)

// A Matrix is a square block of a larger matrix stored row by row.
type Matrix struct {
	Data   []float64
	Stride int
}

// New returns an n × n matrix of zeros.
func New(n int) Matrix { return Matrix{make([]float64, n*n), n} }

// Quarter returns the block of size n at row i·n and column j·n.
func (m Matrix) Quarter(i, j, n int) Matrix {
	return Matrix{m.Data[i*n*m.Stride+j*n:], m.Stride}
}

// Row returns n elements of row i.
func (m Matrix) Row(i, n int) []float64 { return m.Data[i*m.Stride : i*m.Stride+n] }

// MultiplyAdd adds the product of the n × n matrices a and b to c.
func MultiplyAdd(c, a, b Matrix, n int) {
	for i := range n {
		for j := range n {
			s := 0.0
			for k := range n {
				s += a.Data[i*a.Stride+k] * b.Data[k*b.Stride+j]
			}
			c.Data[i*c.Stride+j] += s
		}
	}
}

// Combine sets c to a plus f times b.
func Combine(c, a Matrix, f float64, b Matrix, n int) {
	for i := range n {
		row, x, y := c.Row(i, n), a.Row(i, n), b.Row(i, n)
		for j := range row {
			row[j] = x[j] + f*y[j]
		}
	}
}

// A Product is C = A·B, of N × N matrices in blocks of Base.
type Product struct {
	program.Params
	A, B, C Matrix
}

// NewProduct makes matrices of small integers, so that no sum is ever rounded and
// every order of additions gives the same bits.
func NewProduct(params program.Params) (*Product, error) {
	if _, err := program.Halvings(params.N, params.Base); err != nil {
		return nil, err
	}
	p := &Product{params, New(params.N), New(params.N), New(params.N)}
	r := program.Rand(params.Seed)
	for i := range p.A.Data {
		p.A.Data[i] = float64(r.Below(19) - 9)
		p.B.Data[i] = float64(r.Below(19) - 9)
	}
	return p, nil
}

// Check compares C·x with A·(B·x) for a random vector x of integers (Freivalds): a
// wrong C passes with a probability below one in a thousand.
func (p *Product) Check() error {
	x := make([]float64, p.N)
	r := program.Rand(p.Seed + 1)
	for i := range x {
		x[i] = float64(r.Below(2048) - 1024)
	}
	want := p.A.times(p.B.times(x))
	for i, got := range p.C.times(x) {
		if got != want[i] {
			return fmt.Errorf("row %d of the product: C·x is %v, A·(B·x) is %v", i, got, want[i])
		}
	}
	return nil
}

// Result is a digest of the diagonal of C.
func (p *Product) Result() uint64 {
	var d program.Digest
	for i := range p.N {
		d.AddFloat(p.C.Data[i*p.C.Stride+i])
	}
	return uint64(d)
}

func (m Matrix) times(x []float64) []float64 {
	y := make([]float64, len(x))
	for i := range y {
		y[i] = Dot(m.Row(i, len(x)), x)
	}
	return y
}

// Dot is the scalar product of two vectors of one length.
func Dot(x, y []float64) float64 {
	s := 0.0
	for i, v := range x {
		s += v * y[i]
	}
	return s
}

// Close reports whether two numbers agree up to rounding.
func Close(x, y, scale float64) bool { return math.Abs(x-y) <= 1e-9*math.Max(1, scale) }
