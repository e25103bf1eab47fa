package program

import (
	"errors"
	"fmt"
	"math"
)

// Rand is a sequence of pseudo-random numbers, SplitMix64. The zero Rand is one.
type Rand uint64

// Next returns the next number.
func (r *Rand) Next() uint64 {
	*r += 0x9e3779b97f4a7c15
	return Mix(uint64(*r))
}

// Below returns a number below n, which must be positive.
func (r *Rand) Below(n int) int { return int(r.Next() % uint64(n)) }

// Unit returns a number in [0, 1).
func (r *Rand) Unit() float64 { return float64(r.Next()>>11) / (1 << 53) }

// Mix spreads the bits of x.
func Mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// A Digest is a hash of a sequence of numbers.
type Digest uint64

// Add appends a number.
func (d *Digest) Add(x uint64) { *d = Digest(Mix(uint64(*d)*31 + x)) }

// AddFloat appends a number, which must be the same to the last bit.
func (d *Digest) AddFloat(x float64) { d.Add(math.Float64bits(x)) }

// Blocks returns how many blocks of base elements n elements are. The error says that
// base is not positive or does not divide n.
func Blocks(n, base int) (int, error) {
	if n <= 0 || base <= 0 || n%base != 0 {
		return 0, fmt.Errorf("a size of %d cannot be cut into blocks of %d", n, base)
	}
	return n / base, nil
}

// Halvings is Blocks for programs that halve: there must be a power of two blocks.
func Halvings(n, base int) (int, error) {
	blocks, err := Blocks(n, base)
	if err == nil && blocks&(blocks-1) != 0 {
		err = fmt.Errorf("a size of %d cannot be halved down to %d", n, base)
	}
	return blocks, err
}

// Positive wants all numbers to be above 0.
func Positive(numbers ...int) error {
	for _, n := range numbers {
		if n <= 0 {
			return errors.New("all sizes must be positive")
		}
	}
	return nil
}
