package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/detrace/detrace/bench"
)

func TestBenchFlags(t *testing.T) {
	tests := []struct{ args, err string }{
		{"", ""},
		{"-quick", ""},
		{"-table lattice -programs dedup -engines lattice,jointree -rounds 1 -format json", ""},
		{"-table nothing", `no table "nothing"; there are all,`},
		{"-format html", "-format can only be"},
		{"-format md,json", "add -o"},
		{"-rounds 0", "at least 1"},
		{"mm", `"mm" is no flag`},
		{"-fast", "not defined"},
	}
	for _, test := range tests {
		var b benchFlags
		err := b.parse(benchCommand, strings.Fields(test.args))
		if (err == nil) != (test.err == "") || err != nil && !strings.Contains(err.Error(), test.err) {
			t.Errorf("%s: %v, want %q", test.args, err, test.err)
		}
	}
}

func TestBenchQuick(t *testing.T) {
	var b benchFlags
	if err := b.parse(benchCommand, []string{"-quick"}); err != nil {
		t.Fatal(err)
	}
	if o := b.options; o.Size != "small" || o.Budget <= 0 || o.Budget >= time.Minute || o.Rounds != 5 || o.Table != bench.Tables[0] {
		t.Errorf("%+v", o)
	}
	if err := b.parse(benchCommand, []string{"-quick", "-size", "tiny"}); err != nil || b.options.Size != "tiny" {
		t.Errorf("size %q, %v", b.options.Size, err)
	}
}

// Both forms and the plots lie beside each other.
func TestBenchWrites(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	dir := t.TempDir()
	page := filepath.Join(dir, "page.md")
	code, err := runBench(benchCommand, strings.Fields("-table go -size tiny -rounds 1 -programs fib -format md,json -o "+page))
	if code != exitOK || err != nil {
		t.Fatal(code, err)
	}
	for file, want := range map[string]string{
		"page.md": "![CPU time", "page.json": `"program": "fib"`, "page.time.svg": "<svg", "page.memory.svg": "<svg",
	} {
		if text, err := os.ReadFile(filepath.Join(dir, file)); err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s: %v", file, err)
		}
	}
}
