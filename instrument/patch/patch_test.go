package patch

import "testing"

func TestApply(t *testing.T) {
	src := []byte("0123456789")
	for _, tt := range []struct {
		lo, hi int
		edits  []Edit
		want   string
	}{
		{2, 5, nil, "234"},
		{0, 10, []Edit{At(10, "z"), At(0, "a")}, "a0123456789z"},
		{1, 9, []Edit{Over(4, 6, "x"), At(2, "a"), At(2, "b")}, "1ab23x678"},
		{3, 6, []Edit{Over(3, 6, "")}, ""},
	} {
		if got := string(Apply(src, tt.lo, tt.hi, tt.edits)); got != tt.want {
			t.Errorf("bytes %d to %d: got %q, want %q", tt.lo, tt.hi, got, tt.want)
		}
	}
	if Tag("/a/x.go") != Tag("/b/x.go") || Tag("x.go") == Tag("y.go") {
		t.Error("a tag is not that of the file's name")
	}
}
