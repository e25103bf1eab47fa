package suite_test

import (
	"testing"

	"github.com/detrace/detrace/bench/suite"
	"github.com/detrace/detrace/bench/suite/goroutines"
	"github.com/detrace/detrace/bench/suite/program"
	"github.com/detrace/detrace/bench/suite/serial"
	"github.com/detrace/detrace/bench/suite/tasks"
)

var styles = []struct {
	name     string
	programs []program.Program
}{{"serial", serial.Programs}, {"tasks", tasks.Programs}, {"goroutines", goroutines.Programs}}

// Every program checks its own result; that of the styles must be one besides.
func TestStylesAgree(t *testing.T) {
	for i, info := range suite.Programs {
		t.Run(info.Name, func(t *testing.T) {
			for _, seed := range []uint64{1, 2, 3} {
				params := info.Tiny
				params.Seed = seed
				agree(t, i, params)
				if info.General {
					params.General = true
					agree(t, i, params)
				}
			}
		})
	}
}

func agree(t *testing.T, i int, params program.Params) {
	t.Helper()
	var results []uint64
	for _, style := range styles {
		if i >= len(style.programs) {
			continue // of goroutines only
		}
		got, err := style.programs[i].Run(params)
		if err != nil {
			t.Errorf("%s, %+v: %v", style.name, params, err)
		}
		results = append(results, got)
		if got != results[0] {
			t.Errorf("%s, %+v: the result is %x, in another style it is %x", style.name, params, got, results[0])
		}
	}
}

// A check that cannot fail is none: it must not accept what nobody has solved.
func TestChecksFail(t *testing.T) {
	for _, p := range goroutines.Programs {
		problem, _, err := p.Start(p.Tiny)
		if err != nil {
			t.Fatal(err)
		}
		if err := problem.Check(); err == nil && p.Name != "health" {
			t.Errorf("%s: no complaint about a problem that nobody solved", p.Name)
		}
	}
}

func TestNames(t *testing.T) {
	seen := map[string]bool{}
	for i, info := range suite.Programs {
		if seen[info.Name] {
			t.Errorf("two programs are named %s", info.Name)
		}
		seen[info.Name] = true
		if found, ok := suite.Named(info.Name); !ok || found != info {
			t.Errorf("%s is not found by its name", info.Name)
		}
		for _, style := range styles {
			if i >= len(style.programs) {
				if style.name == "goroutines" || !info.OnlyGo {
					t.Fatalf("%s has no program %s", style.name, info.Name)
				}
				continue
			}
			if got := style.programs[i].Name; got != info.Name {
				t.Errorf("program %d is %s, %s says %s", i, info.Name, style.name, got)
			}
		}
	}
	if _, ok := suite.Named("nothing"); ok {
		t.Error("a program is found by a name that it does not have")
	}
}
