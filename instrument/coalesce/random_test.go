package coalesce

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/detrace/detrace/instrument/patch"
)

const signature = "(a, b []int, m [][]int, p *T, v V, n, k, q int) (s int) {\n"

// A twin is the body of a function as it is, and one that counts what it touches, on the
// same lines.
type twin struct {
	plain, counted string
	loop           int  // the line in it of the loop that is to be rewritten
	trail          bool // which is a trail
}

func marked(text string) twin {
	return twin{plain: plain.Replace(text), counted: rangesCells.ReplaceAllString(counted.Replace(text), "$0 rdAll(&v.cells[$1]);")}
}

// writeNests writes the program of nests to dir and rewrites it. whole says which nests
// are rewritten as a whole.
func writeNests(t *testing.T, dir string, nests []twin) (result Result, whole []bool) {
	t.Helper()
	var loops, counting, table strings.Builder
	loops.WriteString("package main\n\n")
	counting.WriteString("package main\n\nvar nests = []pair{\n")
	lines := map[int]int{} // nests by where they begin
	for i, text := range nests {
		fmt.Fprintf(&loops, "func plain%d%s", i, signature)
		lines[strings.Count(loops.String(), "\n")+1+text.loop] = i
		end := "\treturn s\n}\n\n"
		if strings.Contains(text.plain, "goto out") {
			end = "out:\n\treturn s\n}\n\n"
		}
		loops.WriteString(text.plain + end)
		fmt.Fprintf(&table, "func counted%d%s%s%s", i, signature, text.counted, end)
		fmt.Fprintf(&counting, "\t{counted%d, plain%d, %v},\n", i, i, text.trail)
	}
	counting.WriteString("}\n\n" + table.String())
	files := map[string]string{"go.mod": "module m\n\ngo 1.25.0\n", "loops.go": loops.String(), "counted.go": counting.String()}
	for _, name := range []string{"main.go", "line.go"} {
		content, err := os.ReadFile(filepath.Join("testdata", "harness", name))
		if err != nil {
			t.Fatal(err)
		}
		files[name] = string(content)
	}
	for name, content := range files {
		writeFile(t, filepath.Join(dir, name), content)
	}
	pkg := Package{Path: "m", Name: "main", Rewrite: true}
	for _, name := range []string{"main.go", "loops.go", "counted.go"} {
		pkg.Files = append(pkg.Files, filepath.Join(dir, name))
	}
	result = Rewrite(dir, []Package{pkg})
	whole = make([]bool, len(nests))
	for _, l := range result.Loops {
		if i, ok := lines[l.Line]; ok && filepath.Base(l.File) == "loops.go" {
			whole[i] = l.Coalesced && nests[i].trail == (len(l.Proven) > 0 && strings.HasSuffix(l.Proven[0], "round on"))
		}
	}
	return result, whole
}

func writeFile(t *testing.T, name, content string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
}

// runNests rewrites nests, runs the result, and returns what it says.
func runNests(t *testing.T, nests []twin) string {
	t.Helper()
	dir := t.TempDir()
	result, _ := writeNests(t, dir, nests)
	rewritten := string(result.Files[filepath.Join(dir, "loops.go")])
	// The detector's part is played by the harness.
	rewritten, _, _ = strings.Cut(rewritten, "\n//go:noescape\n")
	r := &rewriter{tag: patch.Tag("loops.go")}
	rewritten = strings.NewReplacer(r.name("Loop")+"(", "told(", r.name("Masked")+"(", "masked(", r.name("Here")+"(", "here(", r.name("Either")+"(", "either(", r.name("Scattered")+"(", "scattered(", r.name("Inside")+"(", "inside(", "return true }", "guarded = true; return true }",
		fmt.Sprintf(">= %d) {", fewScattered), ">= 1) {",
		fmt.Sprintf("detraceWait := %d, %d", warm, warm), "detraceWait := first, first", fmt.Sprintf("detraceHolds := %d,", rounds), "detraceHolds := most,",
		"{ break }; detraceLeft = 1<<62", "{ noting = true; break }; detraceLeft = 1<<62",
		"if !detraceDone {", "if !detraceDone { guarded = false;").Replace(rewritten)
	writeFile(t, filepath.Join(dir, "loops.go"), rewritten)
	binary := filepath.Join(dir, "nests")
	build := exec.Command("go", "build", "-o", binary, ".")
	build.Dir = dir
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s\n%s", err, out, rewritten)
	}
	// A mutant's loops may go on for ever. They end before the mutant's test is ended, which
	// would leave them running.
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	raw, err := exec.CommandContext(ctx, binary).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, raw)
	}
	return string(raw)
}

// TestRandomNests compares what rewritten nests tell of with what the loops touch, one
// access at a time, on random values: those inside all bounds and others.
func TestRandomNests(t *testing.T) { compareNests(t, 100, 300) }

// TestFewRandomNests is quick.
func TestFewRandomNests(t *testing.T) { compareNests(t, 0, 160) }

var marks = strings.NewReplacer("R(", openRead, ")R", closeRead, "W(", openWrite, ")W", closeWrite, "B(", openBoth, ")B", closeBoth, "X(", readWhole, ")X", endRead, "M(", writeWhole, ")M", endWrite)

var loopHeader = regexp.MustCompile(`for .*\n`)

func compareNests(t *testing.T, seed uint64, count int) {
	t.Parallel()
	var all []twin
	for i := range count {
		g := &generator{Rand: rand.New(rand.NewPCG(seed+uint64(i), 1)), depth: 1}
		g.search, g.counts, g.owns, g.shares = g.IntN(6) == 0, g.IntN(4) == 0, g.IntN(4) == 0, g.IntN(3) == 0
		g.search = g.search || g.owns && g.IntN(2) == 0
		all = append(all, g.twin())
	}
	for _, text := range named {
		text = marks.Replace(text)
		one := marked(loopHeader.ReplaceAllString(text, "$0 "+round+"\n"))
		one.loop = strings.Count(text[:strings.Index(text, "for ")], "\n")
		all = append(all, one)
	}
	judge(t, all, count)
}

// judge runs those of the nests that are rewritten, of which there must be enough for count.
func judge(t *testing.T, all []twin, count int) {
	t.Helper()
	var nests []twin
	_, whole := writeNests(t, t.TempDir(), all)
	for i, text := range all {
		if whole[i] {
			nests = append(nests, text)
		}
	}
	if len(nests) < count/3 {
		t.Fatalf("only %d of %d nests are rewritten", len(nests), count)
	}
	var cases, together, stopped int
	for line := range strings.Lines(runNests(t, nests)) {
		var number int
		if _, err := fmt.Sscanf(line, "WRONG nest %d", &number); err == nil {
			t.Fatalf("%s%s", line, nests[number].plain)
		}
		fmt.Sscanf(line, "cases %d together %d stopped %d", &cases, &together, &stopped)
	}
	t.Logf("%d of %d nests rewritten; %d runs, %d together, %d stopped by a panic", len(nests), count, cases, together, stopped)
	if together < 3*count {
		t.Errorf("only %d of %d runs together", together, cases)
	}
}
