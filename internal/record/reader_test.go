package record_test

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/detrace/detrace/internal/record"
	"github.com/detrace/detrace/internal/record/recordtest"
)

// sample is a file as a judged program leaves it: main starts task 2, both
// write one heap object, and a select is a reason.
func sample() []byte {
	b := recordtest.New()
	b.Task(1, 0, 0, 0)
	b.Stack(1, record.Frame{Func: "main.main", File: "/src/main.go", Line: 9, StartLine: 7})
	b.Task(2, 1, 3, 1)
	b.Stack(2, record.Frame{Func: "runtime.mapassign", File: "/go/map.go", Line: 40, StartLine: 30, Std: true},
		record.Frame{Func: "main.main.func1", File: "/src/main.go", Line: 10, StartLine: 9})
	b.Stack(3, record.Frame{Func: "main.main", File: "/src/main.go", Line: 12, StartLine: 7})
	b.Race(record.Race{
		Count: 5, Addr: 0xc000001008, ObjBase: 0xc000001000, ObjSize: 64,
		First:  record.Access{Task: 2, Index: 0, Op: record.OpWrite, Stack: 2, Test: 2},
		Second: record.Access{Task: 1, Index: 4, Op: record.OpRead, Stack: 3},
	})
	b.Test(1, record.Test{Name: "TestOne", Outcome: record.Fail, Elapsed: time.Hour})
	b.Test(2, record.Test{Name: "TestTwo", Part: true})
	b.Left(record.Left{Test: 1, ForkStack: 1})
	b.Reason(record.Reason{Count: 2, Code: record.ReasonSelect, Stack: 3, Test: 1})
	b.Writer.Header64(record.OffTasks, 2)
	b.Writer.Header64(record.OffReads, 10)
	b.Writer.Header64(record.OffStart, 1000)
	b.Writer.Header64(record.OffEnd, 3000)
	b.Finish(7)
	return b.Bytes()
}

func TestParse(t *testing.T) {
	got, err := record.Parse(sample())
	if err != nil {
		t.Fatal(err)
	}
	want := &record.File{
		Header: record.Header{Finished: true, ExitCode: 7, Tasks: 2, Reads: 10, Elapsed: 2 * time.Microsecond},
		Stacks: map[uint32]record.Stack{
			1: {{"main.main", "/src/main.go", 9, 7, false}},
			2: {{"runtime.mapassign", "/go/map.go", 40, 30, true}, {"main.main.func1", "/src/main.go", 10, 9, false}},
			3: {{"main.main", "/src/main.go", 12, 7, false}},
		},
		Tasks: map[uint32]record.Task{1: {}, 2: {Parent: 1, ForkIndex: 3, ForkStack: 1}},
		Races: []record.Race{{
			Count: 5, Addr: 0xc000001008, ObjBase: 0xc000001000, ObjSize: 64,
			First:  record.Access{Task: 2, Index: 0, Op: record.OpWrite, Stack: 2, Test: 2},
			Second: record.Access{Task: 1, Index: 4, Op: record.OpRead, Stack: 3},
		}},
		Reasons: []record.Reason{{Count: 2, Code: record.ReasonSelect, Stack: 3, Test: 1}},
		Tests:   map[uint32]record.Test{1: {Name: "TestOne", Outcome: record.Fail, Elapsed: time.Hour}, 2: {Name: "TestTwo", Part: true}},
		Left:    []record.Left{{Test: 1, ForkStack: 1}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestParseErrors(t *testing.T) {
	for _, tt := range []struct {
		name string
		data []byte
		want string
	}{
		{"empty", nil, record.ErrNotStarted.Error()},
		{"zeroed region", make([]byte, 1<<16), record.ErrNotStarted.Error()},
		{"other file", []byte("#!/bin/sh\n"), "not a records file"},
		{"half a header", sample()[:100], "truncated within the header"},
		{"other version", patch32(record.OffVersion, 9), "records of version 9"},
	} {
		f, err := record.Parse(tt.data)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, %v, want error with %q", tt.name, f, err, tt.want)
		}
	}
}

// patch32 is the sample with one word changed.
func patch32(off int, v uint32) []byte {
	b := sample()
	binary.LittleEndian.PutUint32(b[off:], v)
	return b
}

// find is the offset of the first record of a kind in the sample.
func find(kind uint32) int {
	b := sample()
	off := record.HeaderSize
	for binary.LittleEndian.Uint32(b[off+4:]) != kind {
		off += int(binary.LittleEndian.Uint32(b[off:]))
	}
	return off
}

func TestDamageKeepsTheRest(t *testing.T) {
	used := int(binary.LittleEndian.Uint64(sample()[record.OffUsed:]))
	for _, tt := range []struct {
		name           string
		data           []byte
		races, reasons int
		want           string
	}{
		{"copy without the end", sample()[:record.HeaderSize+used-16], 1, 0, "16 bytes of records are missing"},
		{"size 0", patch32(find(record.KindReason), 0), 1, 0, "impossible size 0"},
		{"size beyond the end", patch32(find(record.KindReason), 1<<20), 1, 0, "impossible size"},
		{"unknown kind", patch32(find(record.KindReason)+4, 77), 1, 0, "unknown kind 77"},
		{"task that is its own ancestor", patch32(find(record.KindTask)+12, 1), 1, 1, "task 1 has parent 1"},
		{"parent that is not recorded", patch32(find(record.KindTask)+8, 0x77), 1, 1, "task 1 has no record"},
		{"stack of a race missing", patch32(find(record.KindRace)+60, 99), 1, 1, "stack 99 is missing"},
		{"operation 9", patch32(find(record.KindRace)+56, 9), 0, 1, "operation 9"},
		{"stack with too many frames", patch32(find(record.KindStack)+12, 1<<30), 1, 1, "claims 1073741824 frames"},
		{"text longer than its record", patch32(find(record.KindStack)+28, 0xffffffff), 1, 1, "cut off"},
	} {
		f, err := record.Parse(tt.data)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if f.Damage == nil || !strings.Contains(f.Damage.Error(), tt.want) {
			t.Errorf("%s: got damage %v, want %q", tt.name, f.Damage, tt.want)
		}
		if len(f.Races) != tt.races || len(f.Reasons) != tt.reasons {
			t.Errorf("%s: got %d races and %d reasons, want %d and %d", tt.name, len(f.Races), len(f.Reasons), tt.races, tt.reasons)
		}
	}
}

func TestReadFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "records")
	// Far larger than what is committed, as the mapped region is.
	if err := os.WriteFile(name, sample(), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(name, 1<<40); err != nil {
		t.Fatal(err)
	}
	f, err := record.ReadFile(name)
	if err != nil || f.Damage != nil || len(f.Races) != 1 {
		t.Fatalf("got %+v, %v", f, err)
	}
	if err := os.Truncate(name, 10); err != nil {
		t.Fatal(err)
	}
	if _, err := record.ReadFile(name); err == nil || !strings.Contains(err.Error(), "truncated within the header") {
		t.Errorf("short file: got %v, want a truncated header", err)
	}
	if err := os.Truncate(name, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := record.ReadFile(name); !errors.Is(err, record.ErrNotStarted) {
		t.Errorf("empty file: got %v, want %v", err, record.ErrNotStarted)
	}
}

// FuzzParse holds Parse to its contract on any bytes: no panic, and every
// reference in what it returns leads somewhere or is declared as damage.
func FuzzParse(f *testing.F) {
	b := sample()
	used := binary.LittleEndian.Uint64(b[record.OffUsed:])
	b = b[:record.HeaderSize+used]
	f.Add(b[record.HeaderSize:], used)
	f.Add(b[record.HeaderSize:len(b)-4], used)
	f.Add([]byte{}, uint64(1)<<60)
	f.Fuzz(func(t *testing.T, records []byte, used uint64) {
		data := append(append([]byte(nil), b[:record.HeaderSize]...), records...)
		binary.LittleEndian.PutUint64(data[record.OffUsed:], used)
		file, err := record.Parse(data)
		if err != nil {
			t.Fatalf("sound header refused: %v", err)
		}
		for _, r := range file.Races {
			for _, a := range []record.Access{r.First, r.Second} {
				if file.Stacks[a.Stack] == nil && file.Damage == nil {
					t.Errorf("stack %d is missing without damage", a.Stack)
				}
			}
		}
		for id, task := range file.Tasks {
			if task.Parent >= id {
				t.Errorf("task %d has parent %d", id, task.Parent)
			}
		}
		if _, err := record.Parse(records); err == nil && len(records) < record.HeaderSize {
			t.Error("a file without a header was accepted")
		}
	})
}

// Threads of a judged program write side by side: one may record a race with
// a stack that another is still about to write.
func TestRecordsMayStandBeforeWhatTheyName(t *testing.T) {
	b := recordtest.New()
	b.Race(record.Race{Count: 1, First: record.Access{Task: 2, Op: record.OpRead, Stack: 1}, Second: record.Access{Task: 1, Op: record.OpWrite, Stack: 1}})
	b.Task(2, 1, 0, 1)
	b.Stack(1, record.Frame{Func: "main.main", File: "main.go", Line: 1})
	b.Task(1, 0, 0, 0)
	f, err := record.Parse(b.Bytes())
	if err != nil || f.Damage != nil {
		t.Errorf("got damage %v, error %v, want none", f.Damage, err)
	}
}
