// Package baseline is the list of races that are known, as a text file to be kept
// beside the source.
//
// A line is a fingerprint and, behind a #, what it is; empty lines and lines of
// comment alone may stand in between. Comments name functions and not lines, so
// that a list written anew differs only where the races do.
package baseline

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/detrace/detrace/race"
	"github.com/detrace/detrace/report"
)

// List is the races of a baseline. The zero value is empty. For one goroutine.
type List struct {
	entries []race.Stale // sorted by fingerprint, each once
}

var fingerprint = regexp.MustCompile(`^[0-9a-f]{16}$`)

// ReadFile reads a list. The error names the file, and the line that is none of a
// list; it is [fs.ErrNotExist] when there is no such file.
func ReadFile(name string) (*List, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("baseline: %w", err)
	}
	l, err := parse(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("baseline: %s:%w", name, err)
	}
	return l, nil
}

// parse reads a list; its error begins with a line number.
func parse(r io.Reader) (*List, error) {
	l := &List{}
	lines := bufio.NewScanner(r)
	n := 0
	for lines.Scan() {
		n++
		id, comment, _ := strings.Cut(lines.Text(), "#")
		switch id = strings.TrimSpace(id); {
		case id == "":
		case !fingerprint.MatchString(id):
			return nil, fmt.Errorf("%d: %q is no fingerprint: 16 hexadecimal digits", n, id)
		default:
			l.entries = append(l.entries, race.Stale{Fingerprint: id, Comment: strings.TrimSpace(comment)})
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%d: %w", n+1, err)
	}
	l.sort()
	return l, nil
}

func (l *List) sort() {
	slices.SortStableFunc(l.entries, func(x, y race.Stale) int { return strings.Compare(x.Fingerprint, y.Fingerprint) })
	l.entries = slices.CompactFunc(l.entries, func(x, y race.Stale) bool { return x.Fingerprint == y.Fingerprint })
}

// Of is the list of all races of a report.
func Of(r *race.Report) *List {
	l := &List{}
	for i := range r.Races {
		l.entries = append(l.entries, race.Stale{Fingerprint: r.Races[i].Fingerprint, Comment: describe(&r.Races[i])})
	}
	l.sort()
	return l
}

// describe is what a race is, without what changes when lines move.
func describe(r *race.Race) string {
	text := fmt.Sprintf("%s: %s and %s", report.Summary(r), site(&r.First), site(&r.Second))
	return strings.Map(func(c rune) rune {
		if unicode.IsControl(c) {
			return ' '
		}
		return c
	}, text)
}

func site(a *race.Access) string {
	fn := "unknown function"
	if i := slices.IndexFunc(a.Stack, func(f race.Frame) bool { return f.Pos() == a.Pos }); i >= 0 {
		fn = a.Stack[i].Func
	}
	return fmt.Sprintf("%s (%s)", fn, filepath.Base(a.Pos.File))
}

// Mark enters into a report which of its races are on the list, and what is on the
// list besides. file is the list's name for people.
func (l *List) Mark(r *race.Report, file string) {
	b := &race.Baseline{File: file}
	seen := map[string]bool{}
	for i := range r.Races {
		seen[r.Races[i].Fingerprint] = true
		r.Races[i].Known = l.has(r.Races[i].Fingerprint)
		if r.Races[i].Known {
			b.Known++
		}
	}
	for _, e := range l.entries {
		if !seen[e.Fingerprint] {
			b.Stale = append(b.Stale, e)
		}
	}
	r.Baseline = b
}

func (l *List) has(id string) bool {
	_, ok := slices.BinarySearchFunc(l.entries, id, func(e race.Stale, id string) int { return strings.Compare(e.Fingerprint, id) })
	return ok
}

const header = `# Races that are known: detrace -baseline with this file does not fail because of
# them. One fingerprint a line; detrace -update-baseline writes the list anew.
`

// WriteTo writes the list.
func (l *List) WriteTo(w io.Writer) (int64, error) {
	var out bytes.Buffer
	out.WriteString(header)
	for _, e := range l.entries {
		fmt.Fprintf(&out, "%s # %s\n", e.Fingerprint, e.Comment)
	}
	return out.WriteTo(w)
}

// WriteFile puts the list in the place of the file of that name, as a whole: readers
// find the old list or the new one, also after a crash. The error names the file.
func (l *List) WriteFile(name string) error {
	if err := l.writeFile(name); err != nil {
		return fmt.Errorf("baseline %s cannot be written: %w", name, err)
	}
	return nil
}

func (l *List) writeFile(name string) error {
	mode := fs.FileMode(0o644)
	if target, err := filepath.EvalSymlinks(name); err == nil {
		name = target // the link stays
		info, err := os.Stat(name)
		if err != nil {
			return err
		}
		if !info.Mode().IsRegular() {
			return errors.New("it is no regular file")
		}
		mode = info.Mode().Perm()
	}
	f, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // fails after the rename
	_, err = l.WriteTo(f)
	for _, step := range []func() error{func() error { return f.Chmod(mode) }, f.Sync} {
		if err == nil {
			err = step()
		}
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}
