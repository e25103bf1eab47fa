package instrument

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// A TestPackage is a package whose tests can be built.
type TestPackage struct {
	ImportPath string
	// Dir is its directory, in which its tests run.
	Dir string
	// Patterns name this package alone, for [Config].
	Patterns []string
	// Tests says that there are test files.
	Tests bool
}

// Packages lists the packages that cfg.Patterns name, for [Build] to build the tests
// of one after the other; of cfg only Cache, Dir, Patterns and Tags count. A package
// that is there but cannot be loaded is on the list: building it says why. The error
// is an [*Error] when a pattern names nothing, or ctx's.
func Packages(ctx context.Context, cfg Config) (_ []TestPackage, err error) {
	t, err := prepare(ctx, &cfg)
	if err != nil {
		return nil, err
	}
	what := strings.Join(cfg.Patterns, " ")
	args := append([]string{"list", "-e", listFields}, t.flags.listArgs(cfg.Tags)...)
	cmd := t.command(ctx, t.tempDir, append(args, cfg.Patterns...)...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := run(ctx, cmd); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, commandError("load "+what, stderr.String(), err)
	}
	files := slices.ContainsFunc(cfg.Patterns, func(p string) bool { return strings.HasSuffix(p, ".go") })
	var all []TestPackage
	for dec := json.NewDecoder(&stdout); ; {
		var pkg listed
		if err := dec.Decode(&pkg); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("output of go list: %w", err)
		}
		if pkg.Dir == "" && pkg.Error != nil {
			return nil, pkg.loadError()
		}
		p := TestPackage{pkg.ImportPath, pkg.Dir, []string{pkg.ImportPath}, len(pkg.TestGoFiles)+len(pkg.XTestGoFiles) > 0 || pkg.Error != nil}
		if files {
			p.Patterns = cfg.Patterns
		}
		all = append(all, p)
	}
	if len(all) == 0 {
		return nil, commandError("load "+what, stderr.String(), errors.New("no packages"))
	}
	return all, nil
}
