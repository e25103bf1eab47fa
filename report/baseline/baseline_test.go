package baseline

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/detrace/detrace/race"
)

// golden is a report of package report's tests.
func golden(t *testing.T) *race.Report {
	f, err := os.Open("../testdata/everything_and_failed.json")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := race.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func text(t *testing.T, l *List) string {
	var out bytes.Buffer
	if _, err := l.WriteTo(&out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestList(t *testing.T) {
	want := header + `12fae2e635ccdabc # write-write on p.count: main.siblings.func1 (main.go) and main.siblings.func1 (main.go)
2a349270b2d0d9de # write-read on seen: main.nested.func1.1 (main.go) and main.nested.func2 (main.go)
7ec77fb78cd1f713 # write-read on result: main.parent.func1 (main.go) and main.parent (main.go)
`
	got := text(t, Of(golden(t)))
	if got != want {
		t.Fatalf("got\n%s\nwant\n%s", got, want)
	}
	again, err := parse(strings.NewReader(got))
	if err != nil || text(t, again) != want {
		t.Errorf("read back: got\n%s, %v", text(t, again), err)
	}
}

// A name from a hostile source cannot add an entry or hide one.
func TestCommentStaysOnItsLine(t *testing.T) {
	r := golden(t)
	r.Races = r.Races[:1]
	r.Races[0].Location.Name = "x\nffffffffffffffff\r\x1b[31m"
	got := text(t, Of(r))
	if strings.Count(got, "\n") != strings.Count(header, "\n")+1 || strings.ContainsAny(got, "\r\x1b") {
		t.Errorf("got %q", got)
	}
}

func TestParse(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       []race.Stale
		err        string
	}{
		{"empty", "", nil, ""},
		{"comments", "# a\n\n   # b\r\n", nil, ""},
		{"unsorted, twice, without comment", "bbbbbbbbbbbbbbbb\naaaaaaaaaaaaaaaa #one # two\nbbbbbbbbbbbbbbbb # again",
			[]race.Stale{{Fingerprint: "aaaaaaaaaaaaaaaa", Comment: "one # two"}, {Fingerprint: "bbbbbbbbbbbbbbbb"}}, ""},
		{"short", "# a\naaaa # b\n", nil, `2: "aaaa" is no fingerprint`},
		{"upper case", "AAAAAAAAAAAAAAAA", nil, `1: "AAAAAAAAAAAAAAAA" is no fingerprint`},
		{"two words", "aaaaaaaaaaaaaaaa bbbbbbbbbbbbbbbb", nil, "is no fingerprint"},
		{"conflict of a merge", "<<<<<<< HEAD\n", nil, `1: "<<<<<<< HEAD" is no fingerprint`},
		{"another kind of file", strings.Repeat("x", 1<<17), nil, "1: "},
	} {
		l, err := parse(strings.NewReader(tt.text))
		if tt.err != "" {
			if err == nil || !strings.Contains(err.Error(), tt.err) {
				t.Errorf("%s: got %v, want %q", tt.name, err, tt.err)
			}
			continue
		}
		if err != nil || !reflect.DeepEqual(l.entries, tt.want) {
			t.Errorf("%s: got %+v, %v, want %+v", tt.name, l, err, tt.want)
		}
	}
}

func TestMark(t *testing.T) {
	l, err := parse(strings.NewReader("12fae2e635ccdabc\naaaaaaaaaaaaaaaa # gone\n"))
	if err != nil {
		t.Fatal(err)
	}
	r := golden(t)
	l.Mark(r, "races.txt")
	want := &race.Baseline{File: "races.txt", Known: 1, Stale: []race.Stale{{Fingerprint: "aaaaaaaaaaaaaaaa", Comment: "gone"}}}
	if !reflect.DeepEqual(r.Baseline, want) || !r.Races[0].Known || r.Races[1].Known || r.New() != 2 {
		t.Errorf("got %+v, %d new", r.Baseline, r.New())
	}
	Of(r).Mark(r, "races.txt")
	if r.New() != 0 || r.Baseline.Stale != nil || r.Baseline.Known != 3 {
		t.Errorf("list of the report itself: got %+v, %d new", r.Baseline, r.New())
	}
}

func TestFiles(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "races.txt")
	if _, err := ReadFile(name); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), name) {
		t.Errorf("no file: got %v", err)
	}
	l := Of(golden(t))
	if err := l.WriteFile(name); err != nil {
		t.Fatal(err)
	}
	got, err := ReadFile(name)
	if err != nil || !reflect.DeepEqual(got, l) {
		t.Errorf("got %+v, %v, want %+v", got, err, l)
	}
	if err := os.WriteFile(filepath.Join(dir, "bad"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadFile(filepath.Join(dir, "bad")); err == nil || !strings.Contains(err.Error(), "bad:1: ") {
		t.Errorf("bad file: got %v, want its name and the line", err)
	}

	// A link stays a link, the mode of the old file is kept, nothing else is left.
	link := filepath.Join(dir, "link")
	if err := os.Symlink("bad", link); err != nil {
		t.Fatal(err)
	}
	if err := l.WriteFile(link); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link was replaced: %v, %v", info, err)
	}
	if info, err := os.Stat(filepath.Join(dir, "bad")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode: got %v, %v, want that of the old file", info, err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".*.*")); left != nil {
		t.Errorf("left: %v", left)
	}
	for _, bad := range []string{dir, filepath.Join(dir, "nowhere", "x")} {
		if err := l.WriteFile(bad); err == nil || !strings.Contains(err.Error(), bad) {
			t.Errorf("%s: got %v, want an error with the name", bad, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("12fae2e635ccdabc # x\n\n#\n")
	f.Fuzz(func(t *testing.T, s string) {
		l, err := parse(strings.NewReader(s))
		if err != nil {
			return
		}
		again, err := parse(strings.NewReader(text(t, l)))
		if err != nil || len(again.entries) != len(l.entries) {
			t.Errorf("%q: got %+v, %v, want %+v", s, again, err, l)
		}
	})
}
