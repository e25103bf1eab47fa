package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/detrace/detrace/race"
	"github.com/detrace/detrace/report"
	"github.com/detrace/detrace/report/baseline"
	"github.com/detrace/detrace/report/github"
	"github.com/detrace/detrace/report/html"
	"github.com/detrace/detrace/report/junit"
	"github.com/detrace/detrace/report/sarif"
)

const formatHelp = `  -format form           replace the text by this form, on standard output:
                         text    for people, in colour on a terminal unless NO_COLOR is set
                         json    all there is, for programs
                         sarif   SARIF 2.1.0, for code scanning and editors
                         github  annotations, for a log of GitHub Actions
                         junit   JUnit XML, for other CI
                         html    one page with sources and a drawing, without network
  -format form=path      write this form to a file; -format may be repeated
  -strict                exit with 4 when the run is not certified
  -baseline file         the races that are known: a fingerprint a line, the rest of the
                         line behind # is comment. They are reported as known, and do
                         not make the exit code 3; fingerprints in the file that this
                         run did not meet are named
  -update-baseline       write the races of this run, and no others, to that file: all
                         of them are known then
`

// reporting is the flags that say what becomes of a report.
type reporting struct {
	outputs  outputs
	strict   bool
	baseline string
	update   bool
	known    *baseline.List // nil without a baseline
}

func (r *reporting) register(fs *flag.FlagSet) {
	fs.Var(&r.outputs, "format", "")
	fs.BoolVar(&r.strict, "strict", false, "")
	fs.StringVar(&r.baseline, "baseline", "", "")
	fs.BoolVar(&r.update, "update-baseline", false, "")
}

// open reads what a report will be compared with. It comes before the work whose
// result would otherwise be lost with an error here.
func (r *reporting) open() error {
	switch {
	case r.baseline == "" && r.update:
		return errors.New("-update-baseline writes the file that -baseline names, and -baseline is missing")
	case r.baseline == "":
		return nil
	}
	list, err := baseline.ReadFile(r.baseline)
	switch {
	case errors.Is(err, fs.ErrNotExist) && r.update:
		list = &baseline.List{}
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%w; -update-baseline writes it", err)
	case err != nil:
		return err
	}
	r.known = list
	return nil
}

// finish compares a report with the baseline, writes it in every form that was asked
// for, with the text to textTo, and returns the exit code. name is what was judged.
func (r *reporting) finish(judged *race.Report, name string, textTo *os.File, suites ...junit.Suite) (int, error) {
	var failed error
	if r.update {
		list := baseline.Of(judged)
		if failed = list.WriteFile(r.baseline); failed == nil {
			r.known = list
		}
	}
	if r.known != nil {
		r.known.Mark(judged, r.baseline)
		for _, s := range suites {
			r.known.Mark(s.Report, r.baseline)
		}
	}
	code := exitCode(judged, r.strict)
	setting := newSetting(name, code, r.strict)
	setting.suites = suites
	if len(suites) == 0 {
		setting.suites = []junit.Suite{{Name: name, Report: judged}}
	}
	if err := r.outputs.write(judged, setting, textTo); failed == nil {
		failed = err
	}
	return code, failed
}

// output is one form of a report; an empty path means the terminal.
type output struct{ format, path string }

// outputs is the value of the -format flags.
type outputs []output

func (o *outputs) String() string { return "" }

// Set adds a -format flag.
func (o *outputs) Set(value string) error {
	format, path, hasPath := strings.Cut(value, "=")
	switch {
	case formats[format] == nil:
		return errors.New("no such format; there are text, json, sarif, github, junit and html")
	case hasPath && path == "":
		return errors.New("a file name is missing behind =")
	}
	*o = append(*o, output{format, path})
	return nil
}

// toStdout reports whether a form other than text goes to standard output.
func (o outputs) toStdout() bool {
	return slices.ContainsFunc(o, func(out output) bool { return out.path == "" && out.format != "text" })
}

// setting is what forms say besides the report.
type setting struct {
	name     string // of the program
	dir      string // the working directory
	root     string // the directory of the repository that dir is in, else dir
	exitCode int
	strict   bool
	suites   []junit.Suite // what was judged, in its parts
}

func newSetting(name string, exitCode int, strict bool) *setting {
	dir, err := os.Getwd()
	if err != nil {
		dir = "/"
	}
	return &setting{name: name, dir: dir, root: repository(dir), exitCode: exitCode, strict: strict}
}

// repository is the directory that readers of a report in CI take file names to be
// relative to.
func repository(dir string) string {
	if workspace := os.Getenv("GITHUB_WORKSPACE"); filepath.IsAbs(workspace) && report.Relative(workspace, dir) != dir {
		return filepath.Clean(workspace)
	}
	for root := dir; ; root = filepath.Dir(root) {
		if _, err := os.Stat(filepath.Join(root, ".git")); err == nil {
			return root
		}
		if root == filepath.Dir(root) {
			return dir
		}
	}
}

// formats are the forms of a report.
var formats = map[string]func(io.Writer, *race.Report, *setting) error{
	"text": func(w io.Writer, r *race.Report, s *setting) error {
		if f, ok := w.(*os.File); ok && colourful(f) {
			return report.ColourText(w, r, s.dir)
		}
		return report.Text(w, r, s.dir)
	},
	"json": func(w io.Writer, r *race.Report, _ *setting) error { return r.Encode(w) },
	"sarif": func(w io.Writer, r *race.Report, s *setting) error {
		return sarif.Write(w, r, sarif.Options{Root: s.root, ExitCode: s.exitCode, Version: version()})
	},
	"github": func(w io.Writer, r *race.Report, s *setting) error { return github.Write(w, r, s.root) },
	"junit": func(w io.Writer, _ *race.Report, s *setting) error {
		return junit.Write(w, s.suites, junit.Options{Root: s.root, Strict: s.strict})
	},
	"html": func(w io.Writer, r *race.Report, s *setting) error {
		return html.Write(w, r, html.Options{Root: s.root, Name: s.name})
	},
}

// colourful reports whether colours are welcome where a file is shown.
func colourful(f *os.File) bool {
	return os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && isTerminal(f)
}

func isTerminal(f *os.File) bool {
	_, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS)
	return err == nil
}

// write renders the report in every form that was asked for, and as text
// where no other replaces it. All are tried; the first error is returned.
func (o outputs) write(r *race.Report, s *setting, textTo *os.File) error {
	if !slices.ContainsFunc(o, func(out output) bool { return out.path == "" }) {
		o = append(outputs{{format: "text"}}, o...)
	}
	var first error
	for _, out := range o {
		if err := out.write(r, s, textTo); err != nil && first == nil {
			first = fmt.Errorf("writing the report: %w", err)
		}
	}
	return first
}

func (out output) write(r *race.Report, s *setting, textTo *os.File) error {
	render := formats[out.format]
	switch {
	case out.path == "" && out.format == "text":
		return render(textTo, r, s)
	case out.path == "":
		return render(os.Stdout, r, s)
	}
	f, err := os.Create(out.path)
	if err != nil {
		return err
	}
	if err := render(f, r, s); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// exitCode is the verdict as an exit code: a race that is not known wins over the
// program's own failure.
func exitCode(r *race.Report, strict bool) int {
	switch {
	case r.New() > 0:
		return exitRace
	case r.Program.Failed():
		return exitProgram
	case len(r.Reasons) > 0 && strict:
		return exitStrict
	}
	return exitOK
}
