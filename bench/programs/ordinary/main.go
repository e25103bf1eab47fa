// Ordinary is a choice of programs as people write them: they call the standard library and have
// one goroutine, or a few that share little. None races. The arguments are the program and its
// size: items, bytes or rounds.
package main

import (
	"bytes"
	"math/rand"
	"strings"

	"github.com/detrace/detrace/bench/programs/choice"
)

var programs = map[string]func(n int) int{
	// in encodings.go
	"json":     throughJSON,
	"gob":      throughGob,
	"xml":      toXML,
	"csv":      throughCSV,
	"gzip":     throughGzip,
	"base64":   throughBase64,
	"png":      throughPNG,
	"template": fillTemplate,
	// in texts.go
	"format":  formatNumbers,
	"regexp":  match,
	"words":   countWords,
	"strings": rewrite,
	"source":  formatSource,
	// in structures.go
	"sort":      sortNumbers,
	"heap":      throughHeap,
	"tree":      growTree,
	"list":      walkList,
	"intmap":    fillMap,
	"matrix":    multiply,
	"life":      live,
	"fibonacci": addBig,
	// in goroutines.go
	"pooled":  borrow,
	"workers": feedWorkers,
	"fanout":  splitAmong,
	"server":  serve,
	// in locks.go
	"guarded": countUnderLock,
	"counter": countTogether,
	"cache":   shareCache,
	"bank":    transfer,
	"lately":  useLately,
	"log":     note,
}

func main() { choice.Main("ordinary", programs) }

// prose is n bytes of words.
func prose(n int) []byte {
	r := rand.New(rand.NewSource(1))
	words := strings.Fields("the quick brown fox jumps over lazy dog and runs away from home with 42 others")
	var b bytes.Buffer
	for b.Len() < n {
		b.WriteString(words[r.Intn(len(words))])
		b.WriteByte(" \n"[r.Intn(12)/11])
	}
	return b.Bytes()[:n]
}
