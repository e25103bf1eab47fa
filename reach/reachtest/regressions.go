package reachtest

import (
	"embed"
	"io/fs"
	"iter"
)

//go:embed testdata/*.txt
var testdata embed.FS

// Regressions yields the name and the program of each text file in testdata:
// programs that a wrong engine got wrong once.
func Regressions() iter.Seq2[string, Program] {
	return func(yield func(string, Program) bool) {
		files, err := fs.Glob(testdata, "testdata/*.txt")
		if err != nil {
			panic(err)
		}
		for _, file := range files {
			text, err := testdata.ReadFile(file)
			if err != nil {
				panic(err)
			}
			p, err := Parse(string(text))
			if err != nil {
				panic(file + ": " + err.Error())
			}
			if !yield(file, p) {
				return
			}
		}
	}
}
