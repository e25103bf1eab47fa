package github

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/detrace/detrace/race"
	"github.com/detrace/detrace/report/reporttest"
)

func render(t *testing.T, r *race.Report) string {
	t.Helper()
	var out bytes.Buffer
	if err := Write(&out, r, reporttest.Root(t)); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// command is a workflow command as the runner parses it: properties end at the first
// double colon and are separated by commas.
var command = regexp.MustCompile(`^::(error|warning|notice) ((?:file=[^:,\r]+,)?(?:line=\d+,)?(?:col=\d+,)?title=[^:,\r]*)::([^\r]*)$`)

func TestGolden(t *testing.T) {
	for _, c := range reporttest.Cases(t) {
		got := render(t, c.Report)
		if c.Golden {
			reporttest.Golden(t, c.Name+".txt", []byte(got))
		}
		lines := strings.Split(strings.TrimSuffix(got, "\n"), "\n")
		if !strings.HasPrefix(lines[len(lines)-1], "verdict: "+string(c.Report.Verdict)) {
			t.Errorf("%s: last line is %q, want the verdict", c.Name, lines[len(lines)-1])
		}
		for _, line := range lines {
			if !command.MatchString(line) && !strings.HasPrefix(line, "verdict: ") && !strings.HasPrefix(line, "program: ") {
				t.Errorf("%s: no command: %q", c.Name, line)
			}
		}
	}
}

// One error a new race, one notice a known one; a race within a line has no other side.
func TestLevels(t *testing.T) {
	for name, want := range map[string]struct{ errors, warnings, notices int }{
		"determinate": {0, 0, 0}, "siblings": {1, 0, 0}, "nested": {1, 0, 1}, "reasons": {0, 4, 0}, "killed": {0, 1, 0},
		"known": {1, 5, 4}, "all_known": {0, 0, 1},
	} {
		got := "\n" + render(t, reporttest.Find(t, name))
		if e, w, n := strings.Count(got, "\n::error "), strings.Count(got, "\n::warning "), strings.Count(got, "\n::notice "); e != want.errors || w != want.warnings || n != want.notices {
			t.Errorf("%s: got %d errors, %d warnings, %d notices, want %+v\n%s", name, e, w, n, want, got)
		}
	}
}

func TestEscapes(t *testing.T) {
	a := &annotations{root: "/src"}
	a.command("error", "a,b:c%\nd", nil, race.Pos{File: "/src/x,y:z.go", Line: 3}, "100%: a,\r\n::error::b")
	want := "::error file=x%2Cy%3Az.go,line=3,title=a%2Cb%3Ac%25%0Ad::100%25: a,%0D%0A::error::b\n"
	if a.String() != want {
		t.Errorf("got %q, want %q", a.String(), want)
	}
}
