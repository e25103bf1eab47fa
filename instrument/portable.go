package instrument

import (
	"io/fs"
	"path"
	"regexp"
	"strings"
)

const (
	module = "github.com/detrace/detrace"
	// judgedRoot is the import path of the portable packages in the judged
	// program, beside the runtime's own and below everything else.
	judgedRoot = "internal/runtime/detrace"
	// hooksDir holds what becomes new files of packages of the standard library.
	hooksDir = "probe"
	// asmDir holds what becomes function bodies in race_amd64.s.
	asmDir = "probe/asm"
)

// judgedPath is the import path in the judged program of the portable package
// in dir, a directory of the detrace module.
func judgedPath(dir string) string {
	return judgedRoot + "/" + strings.TrimPrefix(dir, "internal/")
}

// linkedFiles are the new files of the judged program's GOROOT/src, by path
// below it, made from the Go files of sources.
func linkedFiles(sources fs.FS) (map[string][]byte, error) {
	files := map[string][]byte{}
	err := fs.WalkDir(sources, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !isLinked(name) {
			return err
		}
		src, err := fs.ReadFile(sources, name)
		if err != nil {
			return err
		}
		dir, base := path.Dir(name), path.Base(name)
		if std, ok := strings.CutPrefix(dir, hooksDir+"/"); ok {
			dir, base = std, "zdetrace_"+base
		} else {
			dir = judgedPath(dir)
		}
		files[dir+"/"+base], err = rewriteImports(name, rewriteTags(src))
		return err
	})
	return files, err
}

// isLinked reports whether the file called name is linked into judged programs.
func isLinked(name string) bool {
	return strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") && !strings.HasSuffix(name, "_detrace.go")
}

var (
	buildLine = regexp.MustCompile(`(?m)^//go:build .*$`)
	// judgedTags are the build tags of this module that have another name in judged
	// programs, where "race" is always set and the user's tags are around.
	judgedTags = strings.NewReplacer("judged", "race", "invariants", "detrace_invariants")
)

// rewriteTags gives the build tags in src their names in the judged program.
func rewriteTags(src []byte) []byte {
	return buildLine.ReplaceAllFunc(src, func(line []byte) []byte {
		return []byte(judgedTags.Replace(string(line)))
	})
}

// rewriteImports gives src's imports of detrace packages their paths in the
// judged program.
func rewriteImports(name string, src []byte) ([]byte, error) {
	return redirectImports(name, src, func(imported string) (string, bool) {
		dir, ok := strings.CutPrefix(imported, module+"/")
		return judgedPath(dir), ok
	})
}

// asmBodies reads the files of probe/asm, in the order of their names.
func asmBodies(sources fs.FS) ([]asmBody, error) {
	names, err := fs.Glob(sources, asmDir+"/*.s")
	if err != nil {
		return nil, err
	}
	var bodies []asmBody
	for _, name := range names {
		src, err := fs.ReadFile(sources, name)
		if err != nil {
			return nil, err
		}
		body, err := parseAsmBody(name, src)
		if err != nil {
			return nil, err
		}
		bodies = append(bodies, body)
	}
	return bodies, nil
}
