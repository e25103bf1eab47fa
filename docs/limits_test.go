package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/detrace/detrace/report"
)

var programLine = regexp.MustCompile("(?m)^- (bad|good): `(testdata/[a-z_]+\\.go)`$")

// Every reason that has a place has a section in limits.md, with a program that is not
// certified for it and one that is; package e2e runs them.
func TestLimits(t *testing.T) {
	text, err := os.ReadFile("limits.md")
	if err != nil {
		t.Fatal(err)
	}
	sections := map[string]string{}
	for _, section := range strings.Split(string(text), "\n## ")[1:] {
		title, body, _ := strings.Cut(section, "\n")
		sections[title] = body
	}
	without := map[string]bool{"history-full": true} // no small program
	for _, e := range report.Explanations() {
		if e.Run {
			continue
		}
		body, ok := sections[e.Code]
		if !ok {
			t.Errorf("reason %s has no section", e.Code)
			continue
		}
		programs := map[string]string{}
		for _, m := range programLine.FindAllStringSubmatch(body, -1) {
			programs[m[1]] = m[2]
		}
		if without[e.Code] {
			continue
		}
		source, err := os.ReadFile(filepath.Join("..", programs["bad"]))
		if err != nil || !strings.HasPrefix(filepath.Base(programs["bad"]), "notcertified_") || !strings.Contains(string(source), "reason("+e.Code+")") {
			t.Errorf("%s: %q is no program with that reason: %v", e.Code, programs["bad"], err)
		}
		if _, err := os.Stat(filepath.Join("..", programs["good"])); err != nil || !strings.HasPrefix(filepath.Base(programs["good"]), "determinate_") {
			t.Errorf("%s: %q is no program that is certified: %v", e.Code, programs["good"], err)
		}
	}
}
