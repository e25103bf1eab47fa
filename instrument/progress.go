package instrument

import (
	"bytes"
	"fmt"
)

// few is how many packages may be compiled without a word: a rebuild after an
// edit is not worth mentioning.
const few = 8

// progress is the standard error of a go command with -v: it counts the lines
// that name a package of the program, and keeps all others. It is used by one
// goroutine at a time.
type progress struct {
	packages map[string]bool
	tell     func(string)
	compiled int
	partial  []byte
	kept     bytes.Buffer
}

func newProgress(all []listed, tell func(string)) *progress {
	packages := make(map[string]bool, len(all))
	for _, pkg := range all {
		packages[pkg.ImportPath] = true
	}
	return &progress{packages: packages, tell: tell}
}

func (p *progress) Write(b []byte) (int, error) {
	p.partial = append(p.partial, b...)
	for {
		line, after, ok := bytes.Cut(p.partial, []byte("\n"))
		if !ok {
			return len(b), nil
		}
		p.line(line)
		p.partial = after
	}
}

func (p *progress) line(line []byte) {
	name := string(line)
	ours := bytes.HasPrefix(line, []byte(judgedRoot+"/"))
	if !ours && !p.packages[name] {
		p.kept.Write(line)
		p.kept.WriteByte('\n')
		return
	}
	p.compiled++
	if p.tell == nil || p.compiled < few {
		return
	}
	if p.compiled == few {
		p.tell(fmt.Sprintf("compiling %d packages with instrumentation (once per Go version)", len(p.packages)))
		return
	}
	p.tell(fmt.Sprintf("compiled %d of %d packages", min(p.compiled, len(p.packages)), len(p.packages)))
}

// rest is what the command said besides naming packages.
func (p *progress) rest() string {
	if len(p.partial) > 0 {
		p.line(p.partial)
		p.partial = nil
	}
	return p.kept.String()
}
