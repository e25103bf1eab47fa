package instrument

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/detrace/detrace"
)

// installation is the GOROOT and version of a Go toolchain, "" for the one
// that runs the tests.
func installation(t *testing.T, toolchain string) (goroot, version string) {
	t.Helper()
	if toolchain != "" {
		t.Setenv("GOTOOLCHAIN", toolchain)
	}
	out, err := exec.Command("go", "env", "-json", "GOROOT", "GOVERSION").CombinedOutput()
	var env map[string]string
	if err == nil {
		err = json.Unmarshal(out, &env)
	}
	if err != nil {
		t.Skipf("toolchain %s is not to be had here: %v\n%s", toolchain, err, out)
	}
	return env["GOROOT"], env["GOVERSION"]
}

func TestAnchorsOfRealInstallations(t *testing.T) {
	code := regexp.MustCompile(`(?m)^[^/\n]*__tsan_`)
	for _, toolchain := range []string{"", "go1.25.4", "go1.26.8"} {
		t.Run("toolchain="+toolchain, func(t *testing.T) {
			goroot, version := installation(t, toolchain)
			overlay, err := PlanOverlay(detrace.Sources, goroot, version)
			if err != nil {
				t.Fatal(err)
			}
			for _, file := range []string{raceGo, raceAsm} {
				if left := code.Find(overlay.files[file]); left != nil {
					t.Errorf("%s of %s still has %q", file, version, left)
				}
			}
		})
	}
}

// The go command must not take the runtime of one installation, which names its files, for
// that of another with the same sources.
func TestOverlaysOfEqualInstallationsDiffer(t *testing.T) {
	goroot, version := installation(t, "")
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(goroot, link); err != nil {
		t.Fatal(err)
	}
	var files []string
	for _, goroot := range []string{goroot, link} {
		overlay, err := PlanOverlay(detrace.Sources, goroot, version)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, string(overlay.files["runtime/zdetrace_goroot.go"]))
	}
	if files[0] == files[1] || !strings.Contains(files[1], link) {
		t.Errorf("got %q", files)
	}
}

func TestMovedAnchorIsAnError(t *testing.T) {
	goroot, _ := installation(t, "")
	copied := t.TempDir()
	for _, file := range editedFiles(edits) {
		src, err := os.ReadFile(filepath.Join(goroot, "src", file))
		if err != nil {
			t.Fatal(err)
		}
		if file == raceAsm {
			src = bytes.Replace(src, []byte("TEXT	racecall<>(SB)"), []byte("TEXT	racecall2<>(SB)"), 1)
		}
		path := filepath.Join(copied, "src", file)
		os.MkdirAll(filepath.Dir(path), 0o777)
		if err := os.WriteFile(path, src, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	_, err := PlanOverlay(detrace.Sources, copied, "go1.26.99")
	const want = `cannot instrument go1.26.99: in runtime/race_amd64.s the anchor "TEXT racecall<>" occurs 0 times`
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %s", err, want)
	}
	os.Remove(filepath.Join(copied, "src", raceGo))
	if _, err := PlanOverlay(detrace.Sources, copied, "go1.26.99"); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("a missing race.go gave %v", err)
	}
}

func TestWriteTwiceWritesOnce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	o := &Overlay{"/goroot", map[string][]byte{"runtime/a.go": []byte("a"), "runtime/b/c.go": []byte("c")}}
	first, err := o.Write(dir)
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(first)
	if err != nil {
		t.Fatal(err)
	}
	var manifest struct{ Replace map[string]string }
	if err := json.Unmarshal(content, &manifest); err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{"/goroot/src/runtime/a.go": "a", "/goroot/src/runtime/b/c.go": "c"} {
		if got, err := os.ReadFile(manifest.Replace[key]); err != nil || string(got) != want {
			t.Errorf("%s is %q, %v; want %q", key, got, err, want)
		}
	}
	before, err := os.Stat(first)
	if err != nil {
		t.Fatal(err)
	}
	second, err := o.Write(dir)
	if err != nil || second != first {
		t.Fatalf("second write: %s, %v", second, err)
	}
	if after, err := os.Stat(first); err != nil || !os.SameFile(before, after) {
		t.Errorf("the second write replaced the first (%v)", err)
	}
	o.files["runtime/a.go"] = []byte("changed")
	if third, err := o.Write(dir); err != nil || third == first {
		t.Errorf("other content got the same place: %s, %v", third, err)
	}
}

func TestConcurrentWritesAgree(t *testing.T) {
	dir := t.TempDir()
	o := &Overlay{"/goroot", map[string][]byte{"runtime/a.go": bytes.Repeat([]byte("a"), 1<<20)}}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if _, err := o.Write(dir); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("%d entries in the cache, %v; want 1", len(entries), err)
	}
}

func TestFailedWriteLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	o := &Overlay{"/goroot", map[string][]byte{"runtime/a.go": nil, strings.Repeat("x", 300) + ".go": nil}}
	_, err := o.Write(dir)
	var e *Error
	if !errors.As(err, &e) || !strings.Contains(e.Reason, dir) {
		t.Errorf("error %v, want one that names %s", err, dir)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 0 {
		t.Errorf("left behind: %v", entries)
	}
}

func TestNeverInstrumentedIsTheCompilersList(t *testing.T) {
	goroot, _ := installation(t, "")
	never, err := neverInstrumented(goroot)
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{"runtime": true, "internal/runtime/maps": true, "internal/bytealg": false, "fmt": false, "runtime/race": true} {
		if never[path] != want {
			t.Errorf("%s: %v, want %v", path, never[path], want)
		}
	}
}

func TestGorootInModuleCacheIsLinked(t *testing.T) {
	cache := filepath.Join(t.TempDir(), "cache")
	goroot := t.TempDir()
	first, err := linkGoroot(goroot, cache)
	if err != nil {
		t.Fatal(err)
	}
	second, err := linkGoroot(goroot, cache)
	if err != nil || first != second {
		t.Errorf("second link %s, %v; want %s", second, err, first)
	}
	if to, err := os.Readlink(first); err != nil || to != goroot {
		t.Errorf("link to %s, %v; want %s", to, err, goroot)
	}
	for path, want := range map[string]bool{"/m/mod": true, "/m/mod/x": true, "/m/mod2": false, "/m": false, "/m/..x": false} {
		if got := inside(path, "/m/mod"); got != want {
			t.Errorf("inside(%s) = %v", path, got)
		}
	}
}

func TestSupportedInstallations(t *testing.T) {
	tests := []struct {
		goos, goarch, version string
		ok                    bool
	}{
		{"linux", "amd64", "go1.25.4", true},
		{"linux", "amd64", "go1.26", true},
		{"linux", "amd64", "go1.26rc2", true},
		{"linux", "amd64", "go1.26.8 X:jsonv2", true},
		{"linux", "amd64", "go1.25.1-vendor", true},
		{"linux", "amd64", "go1.24.9", false},
		{"linux", "amd64", "go1.27.0", false},
		{"linux", "amd64", "devel go1.27-abcdef", false},
		{"linux", "arm64", "go1.26.8", false},
		{"darwin", "amd64", "go1.26.8", false},
	}
	for _, test := range tests {
		err := checkSupported(map[string]string{"GOOS": test.goos, "GOARCH": test.goarch, "GOVERSION": test.version, "GOROOT": "/goroot"})
		if (err == nil) != test.ok {
			t.Errorf("%+v: %v", test, err)
		}
		if err != nil && !strings.Contains(err.Error(), test.goos+"/"+test.goarch) && !strings.Contains(err.Error(), test.version+" from /goroot") {
			t.Errorf("%+v: the error does not name what was found: %v", test, err)
		}
	}
}

func TestProgress(t *testing.T) {
	var all []listed
	var output strings.Builder
	for _, name := range strings.Fields("a b c d e f g h i j k") {
		all = append(all, listed{ImportPath: name})
		output.WriteString(name + "\n")
	}
	tests := []struct {
		name, output string
		lines        []string
		rest         string
	}{
		{"a rebuild is silent", "# m\na\nb\nerror in a\n", nil, "# m\nerror in a\n"},
		{"no final newline", "a\nb\noops", nil, "oops\n"},
		{"many", output.String(), []string{
			"compiling 11 packages with instrumentation (once per Go version)",
			"compiled 9 of 11 packages", "compiled 10 of 11 packages", "compiled 11 of 11 packages"}, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var lines []string
			p := newProgress(all, func(line string) { lines = append(lines, line) })
			for i := range len(test.output) { // the pipe cuts anywhere
				p.Write([]byte{test.output[i]})
			}
			if rest := p.rest(); rest != test.rest {
				t.Errorf("rest %q, want %q", rest, test.rest)
			}
			if strings.Join(lines, "\n") != strings.Join(test.lines, "\n") {
				t.Errorf("told %q, want %q", lines, test.lines)
			}
		})
	}
}

func TestCancelEndsTheWholeProcessGroup(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	// The shell ignores the interrupt, and so does its child.
	cmd := newCommand(ctx, "/bin/sh", t.TempDir(), nil, "-c", "trap '' INT; echo started; sleep 60; sleep 60")
	cmd.WaitDelay = 50 * time.Millisecond
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout = w
	done := make(chan error)
	go func() { done <- run(ctx, cmd) }()
	r.Read(make([]byte, 8))
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
	w.Close()
	// The pipe ends when the last process of the group is gone.
	if n, err := r.Read(make([]byte, 8)); n != 0 || err == nil {
		t.Errorf("the pipe is still open: %d, %v", n, err)
	}
}
