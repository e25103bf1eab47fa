package plot

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
)

func TestWrite(t *testing.T) {
	b := &Bars{Title: "a < b & c"}
	for _, v := range []float64{0.5, 1, 37.84} {
		b.Groups = append(b.Groups, Group{"<p>", []Value{{b.Index("x"), v, v / 2, v * 2}, {b.Index("y"), v, v, v}}})
	}
	var out bytes.Buffer
	if err := b.Write(&out); err != nil {
		t.Fatal(err)
	}
	d := xml.NewDecoder(bytes.NewReader(out.Bytes()))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("not well-formed: %v\n%s", err, out.Bytes())
		}
	}
	for _, want := range []string{"<title id=\"title\">a &lt; b &amp; c</title>", "x 37.8, y 37.8.", ">37.8×</text>", "role=\"img\""} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing", want)
		}
	}
}

func TestScale(t *testing.T) {
	s := newScale([]Group{{"", []Value{{0, 30, 0.7, 40}}}})
	if s.low != 0.5 || s.high != 50 {
		t.Errorf("from %v to %v", s.low, s.high)
	}
	if s.x(0.5) != labels || s.x(50) != labels+width || s.x(1e9) != labels+width {
		t.Errorf("%v, %v, %v", s.x(0.5), s.x(50), s.x(1e9))
	}
}
