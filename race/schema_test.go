package race_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/detrace/detrace/race"
)

type object = map[string]any

func schema(t *testing.T) object {
	var s object
	if err := json.Unmarshal(race.Schema, &s); err != nil {
		t.Fatal(err)
	}
	return s
}

// The reports that package report renders in its tests are valid, and nothing
// is lost on their way through the Go types.
func TestGoldenReports(t *testing.T) {
	files, err := filepath.Glob("../report/testdata/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden reports: %v", err)
	}
	s := schema(t)
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var v any
		if err := json.Unmarshal(data, &v); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for _, problem := range check(s, s, v, "report") {
			t.Errorf("%s: %s", file, problem)
		}
		r, err := race.Decode(bytes.NewReader(data))
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		var again bytes.Buffer
		if err := r.Encode(&again); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(again.Bytes(), data) {
			t.Errorf("%s changed on its way through the Go types:\n%s", file, again.Bytes())
		}
	}
}

// Every property of the schema is a field of a Go type and the other way
// round, and what the schema requires is never left out.
func TestSchemaMatchesTypes(t *testing.T) {
	defs := schema(t)["$defs"].(object)
	for name, typ := range map[string]any{
		"report": race.Report{}, "race": race.Race{}, "location": race.Location{}, "alloc": race.Alloc{},
		"access": race.Access{}, "pos": race.Pos{}, "frame": race.Frame{}, "task": race.Task{},
		"parted": race.Parted{}, "missing_join": race.MissingJoin{}, "reason": race.Reason{},
		"stats": race.Stats{}, "exchange": race.Exchange{}, "program": race.Program{},
		"baseline": race.Baseline{}, "stale": race.Stale{}, "test": race.Test{}, "test_name": race.TestName{},
	} {
		def := defs[name].(object)
		var fields, always []string
		for _, f := range reflect.VisibleFields(reflect.TypeOf(typ)) {
			tag, options, _ := strings.Cut(f.Tag.Get("json"), ",")
			fields = append(fields, tag)
			if options != "omitempty" {
				always = append(always, tag)
			}
		}
		var properties, required []string
		for p := range def["properties"].(object) {
			properties = append(properties, p)
		}
		for _, r := range def["required"].([]any) {
			required = append(required, r.(string))
		}
		for _, l := range [][]string{fields, always, properties, required} {
			slices.Sort(l)
		}
		if !slices.Equal(fields, properties) || !slices.Equal(always, required) {
			t.Errorf("%s: Go has %v (always %v), schema has %v (required %v)", name, fields, always, properties, required)
		}
	}
}

func TestCheckFindsProblems(t *testing.T) {
	s := schema(t)
	for _, tt := range []struct{ json, want string }{
		{`{}`, "version is missing"},
		{`{"version": 2}`, "version: is not 1"},
		{`{"verdict": "fine"}`, "verdict: not among"},
		{`{"races": {}}`, "races: is no array"},
		{`{"extra": 1}`, "extra is unknown"},
		{`{"stats": {"tasks": -1}}`, "tasks: below 0"},
		{`{"stats": {"tasks": 1.5}}`, "tasks: is no integer"},
		{`{"races": [{"fingerprint": "xyz"}]}`, "fingerprint: does not match"},
		{`{"races": [{"location": {"alloc": 1}}]}`, "alloc: no alternative fits"},
	} {
		var v any
		if err := json.Unmarshal([]byte(tt.json), &v); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(check(s, s, v, "report"), "\n"); !strings.Contains(got, tt.want) {
			t.Errorf("%s: got %q, want %q among it", tt.json, got, tt.want)
		}
	}
}

func TestDecodeRefusesOtherVersions(t *testing.T) {
	if _, err := race.Decode(strings.NewReader(`{"version": 2}`)); err == nil || !strings.Contains(err.Error(), "version 2") {
		t.Errorf("got %v, want an error about version 2", err)
	}
	if _, err := race.Decode(strings.NewReader(`{`)); err == nil {
		t.Error("got no error for half an object")
	}
}

// check returns where v violates schema s. It knows the keywords that
// schema.json uses.
func check(root, s object, v any, at string) (problems []string) {
	bad := func(format string, args ...any) {
		problems = append(problems, at+": "+fmt.Sprintf(format, args...))
	}
	for keyword, arg := range s {
		switch keyword {
		case "$ref":
			name := strings.TrimPrefix(arg.(string), "#/$defs/")
			problems = append(problems, check(root, root["$defs"].(object)[name].(object), v, at)...)
		case "anyOf":
			fits := func(alt any) bool { return len(check(root, alt.(object), v, at)) == 0 }
			if !slices.ContainsFunc(arg.([]any), fits) {
				bad("no alternative fits")
			}
		case "const":
			if v != arg {
				bad("is not %v", arg)
			}
		case "enum":
			if !slices.Contains(arg.([]any), v) {
				bad("not among %v", arg)
			}
		case "type":
			if !hasType(v, arg.(string)) {
				bad("is no %s", arg)
			}
		case "minimum":
			if n, ok := v.(float64); ok && n < arg.(float64) {
				bad("below %v", arg)
			}
		case "pattern":
			if str, ok := v.(string); ok && !regexp.MustCompile(arg.(string)).MatchString(str) {
				bad("does not match %s", arg)
			}
		case "items":
			list, _ := v.([]any)
			for i, item := range list {
				problems = append(problems, check(root, arg.(object), item, fmt.Sprintf("%s[%d]", at, i))...)
			}
		case "properties":
			problems = append(problems, checkProperties(root, s, v, at)...)
		case "$schema", "$defs", "title", "description", "required", "additionalProperties":
		default:
			bad("the test does not know the keyword %s", keyword)
		}
	}
	return problems
}

func checkProperties(root, s object, v any, at string) (problems []string) {
	o, ok := v.(object)
	if !ok {
		return nil
	}
	properties := s["properties"].(object)
	for name, value := range o {
		if p, ok := properties[name]; ok {
			problems = append(problems, check(root, p.(object), value, at+"."+name)...)
		} else {
			problems = append(problems, at+"."+name+" is unknown")
		}
	}
	for _, name := range s["required"].([]any) {
		if _, ok := o[name.(string)]; !ok {
			problems = append(problems, at+"."+name.(string)+" is missing")
		}
	}
	return problems
}

func hasType(v any, typ string) bool {
	switch x := v.(type) {
	case nil:
		return typ == "null"
	case string:
		return typ == "string"
	case bool:
		return typ == "boolean"
	case float64:
		return typ == "number" || typ == "integer" && x == float64(int64(x))
	case []any:
		return typ == "array"
	case object:
		return typ == "object"
	}
	return false
}
