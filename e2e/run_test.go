package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/detrace/detrace/race"
)

// TestRun takes the way that TestPrograms does not: build, run and report in
// one command, whose exit code knows how the program ended.
func TestRun(t *testing.T) {
	tests := []struct {
		program string
		flags   string
		code    int          // of detrace
		ended   race.Program // the program's own end
	}{
		{"determinate_chunks", "", 0, race.Program{}},
		{"determinate_chunks", "-strict", 0, race.Program{}},
		{"determinate_exit_code", "", 2, race.Program{ExitCode: 5}},
		{"notcertified_fan_in", "", 0, race.Program{}},
		{"notcertified_fan_in", "-strict", 4, race.Program{}},
		{"notcertified_exit_code", "-strict", 2, race.Program{ExitCode: 3}},
		{"notcertified_panics", "", 2, race.Program{ExitCode: 2}},
		{"notcertified_deadlock", "", 2, race.Program{ExitCode: 2}},
		{"race_parent_and_child", "", 3, race.Program{}},
		{"race_parent_and_child", "-strict", 3, race.Program{}},
		{"race_then_exit", "", 3, race.Program{ExitCode: 7}},
		{"race_then_panic", "", 3, race.Program{ExitCode: 2}},
		{"race_then_kill", "", 3, race.Program{ExitCode: -1, Signal: "SIGKILL"}},
		{"race_then_close_all_files", "", 3, race.Program{ExitCode: 7}},
	}
	for _, tt := range tests {
		t.Run(strings.TrimSpace(tt.program+" "+tt.flags), func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "report.json")
			args := append([]string{"run", "-format", "json=" + file}, strings.Fields(tt.flags)...)
			out, code := command(t, root, nil, detrace, append(args, "./testdata/"+tt.program+".go")...)
			if code != tt.code {
				t.Errorf("exit code %d, want %d\n%s", code, tt.code, out)
			}
			if r := decode(t, file); r.Program == nil || *r.Program != tt.ended {
				t.Errorf("the program ended with %+v, want %+v", r.Program, tt.ended)
			}
		})
	}
}

// What an engine that was asked for could not judge is no verdict, whoever reads the records.
func TestReportOfRefused(t *testing.T) {
	dir := t.TempDir()
	binary, records := filepath.Join(dir, "program"), filepath.Join(dir, "records")
	if out, code := command(t, root, nil, detrace, "build", "-o", binary, "./testdata/task/determinate_promise"); code != 0 {
		t.Fatalf("exit code %d\n%s", code, out)
	}
	if out, code := command(t, root, []string{"DETRACE_RECORDS=" + records, "DETRACE_ENGINE=spbags"}, binary); code != 1 {
		t.Fatalf("exit code %d, want 1\n%s", code, out)
	}
	out, code := command(t, root, nil, detrace, "report", records)
	line, want := strings.TrimSpace(out), "engine spbags cannot judge this program"
	if code != 1 || !strings.Contains(line, want) || strings.Contains(line, "\n") {
		t.Errorf("exit code %d, want 1 and %q in one line\n%s", code, want, out)
	}
}

// The program's own arguments, input and output are left alone.
func TestRunPassesArguments(t *testing.T) {
	out, code := command(t, root, nil, detrace, "run", "./examples/pipeline/fixed", "--", "-n", "3")
	if code != 0 || !strings.Contains(out, "3 records, checksum") {
		t.Errorf("exit code %d, output\n%s", code, out)
	}
}

// A program that does not compile is one line of detrace and exit code 1.
func TestRunBuildError(t *testing.T) {
	out, code := command(t, root, nil, detrace, "run", "./testdata/no_such_program.go")
	if code != 1 || !strings.Contains(out, "no_such_program.go") {
		t.Errorf("exit code %d, want 1, output\n%s", code, out)
	}
}
