package program

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

// double is a program that doubles N, unless told to be wrong.
type double struct {
	Params
	result int
}

func (d *double) Check() error {
	if d.result != 2*d.N {
		return errors.New("not the double")
	}
	return nil
}

func (d *double) Result() uint64 { return uint64(d.result) }

var doubles = []Program{
	Of(Info{Name: "double", Tiny: Params{N: 3, Base: 1}, Small: Params{N: 5}, Racy: true}, newDouble,
		func(d *double) { d.result = 2 * d.N }),
	Of(Info{Name: "wrong", Tiny: Params{N: 3}}, newDouble, func(d *double) { d.result = d.N }),
}

func newDouble(p Params) (*double, error) {
	d := &double{Params: p}
	return d, Positive(p.N)
}

func TestCommandLine(t *testing.T) {
	tests := []struct{ args, want, err string }{
		{"double", "double n=3 base=1 steps=0 seed=1 result=0000000000000006", ""},
		{"double -size small -seed 7", "double n=5 base=0 steps=0 seed=7 result=000000000000000a", ""},
		{"double -n 4 -base 2 -steps 9 -racy", "double n=4 base=2 steps=9 seed=1 result=0000000000000008", ""},
		{"", "", "name a program first: double wrong"},
		{"triple", "", "name a program first: double wrong"},
		{"double more", "", `"more" is no flag`},
		{"double -size huge", "", `no size "huge"`},
		{"double -general", "", "no variant with general futures"},
		{"double -n -1", "", "must be positive"},
		{"wrong", "", "wrong: wrong result: not the double"},
		{"wrong -racy", "", "no racy variant"},
	}
	for _, test := range tests {
		got, err := run(doubles, strings.Fields(test.args))
		if got != test.want || (err == nil) != (test.err == "") || err != nil && !strings.Contains(err.Error(), test.err) {
			t.Errorf("%s: %q, %v; want %q, %q", test.args, got, err, test.want, test.err)
		}
	}
}

func TestPeak(t *testing.T) {
	var b bytes.Buffer
	b.WriteString("something else\n")
	if err := printPeak(&b); err != nil {
		t.Fatal(err)
	}
	if peak, err := Peak(b.Bytes()); err != nil || peak < 1<<20 || peak%1024 != 0 {
		t.Errorf("a peak of %d, %v", peak, err)
	}
	if _, err := Peak([]byte("nothing\n")); err == nil {
		t.Error("a peak is found where none was printed")
	}
}

func TestBlocks(t *testing.T) {
	tests := []struct {
		n, base, blocks, halvings int // 0: not possible
	}{{64, 16, 4, 4}, {48, 16, 3, 0}, {50, 16, 0, 0}, {0, 4, 0, 0}, {4, 0, 0, 0}, {8, 8, 1, 1}}
	for _, test := range tests {
		if got, err := Blocks(test.n, test.base); (err == nil) != (test.blocks > 0) || err == nil && got != test.blocks {
			t.Errorf("%d in blocks of %d: %d, %v", test.n, test.base, got, err)
		}
		if got, err := Halvings(test.n, test.base); (err == nil) != (test.halvings > 0) || err == nil && got != test.halvings {
			t.Errorf("%d halved to %d: %d, %v", test.n, test.base, got, err)
		}
	}
}
