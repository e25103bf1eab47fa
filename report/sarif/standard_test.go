package sarif

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/detrace/detrace/report/reporttest"
)

// standard is what SARIF 2.1.0 says of the objects that logs of ours contain:
// properties with their types, required ones with a ! behind the name. A type is
// string, uri, bool, int>=N, an enumeration a|b, the name of an object, []T or, where
// no two items may be the same, set T, or map T.
var standard = map[string]map[string]string{
	"log":           {"$schema": "uri", "version!": "2.1.0", "runs!": "[]run"},
	"run":           {"tool!": "tool", "invocations": "[]invocation", "originalUriBaseIds": "map artifactLocation", "results": "[]result", "columnKind": "utf16CodeUnits|unicodeCodePoints", "properties": "bag"},
	"tool":          {"driver!": "toolComponent"},
	"toolComponent": {"name!": "string", "version": "string", "informationUri": "uri", "rules": "set reportingDescriptor", "notifications": "set reportingDescriptor"},
	"reportingDescriptor": {"id!": "string", "shortDescription": "message", "fullDescription": "message", "help": "message",
		"defaultConfiguration": "reportingConfiguration", "properties": "bag"},
	"reportingConfiguration": {"level": "none|note|warning|error"},
	"message":                {"text!": "string"},
	"invocation": {"executionSuccessful!": "bool", "exitCode": "int>=0", "exitCodeDescription": "string",
		"toolExecutionNotifications": "[]notification"},
	"notification":                 {"message!": "message", "level": "none|note|warning|error", "descriptor": "reportingDescriptorReference"},
	"reportingDescriptorReference": {"id": "string", "index": "int>=-1"},
	"result": {"ruleId": "string", "ruleIndex": "int>=-1", "level": "none|note|warning|error", "message!": "message",
		"locations": "[]location", "relatedLocations": "set location", "occurrenceCount": "int>=1", "partialFingerprints": "map string",
		"codeFlows": "[]codeFlow", "stacks": "set stack", "suppressions": "set suppression"},
	"suppression": {"kind!": "inSource|external", "status": "accepted|underReview|rejected", "justification": "string"},
	"codeFlow":    {"threadFlows!": "[]threadFlow"},
	"threadFlow":  {"id": "string", "message": "message", "locations!": "[]threadFlowLocation"},
	"threadFlowLocation": {"location": "location", "kinds": "set kind", "nestingLevel": "int>=0",
		"importance": "important|essential|unimportant"},
	"stack":            {"message": "message", "frames!": "[]stackFrame"},
	"stackFrame":       {"location": "location"},
	"location":         {"id": "int>=-1", "physicalLocation": "physicalLocation", "logicalLocations": "set logicalLocation", "message": "message"},
	"physicalLocation": {"artifactLocation": "artifactLocation", "region": "region"},
	"artifactLocation": {"uri": "uri", "uriBaseId": "string"},
	"region":           {"startLine": "int>=1", "startColumn": "int>=1", "endColumn": "int>=1"},
	"logicalLocation":  {"fullyQualifiedName": "string", "kind": "function|member|module|namespace|resource|type|variable"},
}

// kinds are the words that the standard has for what happens at a place of a flow.
const kinds = "acquire|release|enter|exit|call|return|branch|implicit|false|true|caution|danger|unknown|unreachable|taint|function|handler|lock|memory|resource|scope|value"

type object = map[string]any

// validate returns where a log violates the standard.
func validate(log []byte) []string {
	v := &validator{}
	var root object
	if err := json.Unmarshal(log, &root); err != nil {
		return []string{err.Error()}
	}
	v.check(root, "log", "log")
	if len(v.problems) == 0 { // else the shape cannot be relied on
		for i, r := range root["runs"].([]any) {
			v.run(r.(object), fmt.Sprintf("log.runs[%d]", i))
		}
	}
	return v.problems
}

type validator struct{ problems []string }

func (v *validator) bad(at, format string, args ...any) {
	v.problems = append(v.problems, at+": "+fmt.Sprintf(format, args...))
}

func (v *validator) check(value any, typ, at string) {
	is := func(ok bool) {
		if !ok {
			v.bad(at, "is no %s: %v", typ, value)
		}
	}
	properties, isObject := standard[typ]
	elem, isMap := strings.CutPrefix(typ, "map ")
	min, isInt := strings.CutPrefix(typ, "int>=")
	switch text, isText := value.(string); {
	case isObject:
		v.object(value, properties, at)
	case strings.HasPrefix(typ, "[]"), strings.HasPrefix(typ, "set "):
		v.list(value, typ, at)
	case isMap:
		m, ok := value.(object)
		is(ok)
		for key, value := range m {
			v.check(value, elem, at+"."+key)
		}
	case isInt:
		n, ok := value.(float64)
		var least float64
		fmt.Sscan(min, &least)
		is(ok && n == float64(int64(n)) && n >= least)
	case typ == "bool":
		_, ok := value.(bool)
		is(ok)
	case typ == "bag":
		_, ok := value.(object)
		is(ok)
	case typ == "string":
		is(isText)
	case typ == "uri":
		_, err := url.Parse(text)
		is(isText && err == nil && uriReference.MatchString(text))
	case typ == "kind":
		is(isText && slices.Contains(strings.Split(kinds, "|"), text))
	default:
		is(isText && slices.Contains(strings.Split(typ, "|"), text))
	}
}

// uriReference is the characters of RFC 3986.
var uriReference = regexp.MustCompile(`^([A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2})+$`)

func (v *validator) object(value any, properties map[string]string, at string) {
	o, ok := value.(object)
	if !ok {
		v.bad(at, "is no object")
		return
	}
	for name, typ := range properties {
		name, required := strings.CutSuffix(name, "!")
		if value, there := o[name]; there {
			v.check(value, typ, at+"."+name)
		} else if required {
			v.bad(at, "%s is missing", name)
		}
	}
	for name := range o {
		if properties[name] == "" && properties[name+"!"] == "" {
			v.bad(at, "%s is unknown", name)
		}
	}
}

func (v *validator) list(value any, typ, at string) {
	elem, isSet := strings.CutPrefix(typ, "set ")
	elem = strings.TrimPrefix(elem, "[]")
	list, ok := value.([]any)
	if !ok {
		v.bad(at, "is no array")
		return
	}
	if len(list) == 0 && (elem == "threadFlow" || elem == "threadFlowLocation") {
		v.bad(at, "is empty")
	}
	for i, item := range list {
		v.check(item, elem, fmt.Sprintf("%s[%d]", at, i))
		if isSet && slices.ContainsFunc(list[:i], func(other any) bool { return reflect.DeepEqual(item, other) }) {
			v.bad(at, "item %d is there twice", i)
		}
	}
}

// run checks what holds between the objects of a run.
func (v *validator) run(r object, at string) {
	driver := r["tool"].(object)["driver"].(object)
	bases, _ := r["originalUriBaseIds"].(object)
	for name, base := range bases {
		if uri := base.(object)["uri"].(string); !strings.HasPrefix(uri, "file:///") || !strings.HasSuffix(uri, "/") {
			v.bad(at, "%s: %s is no directory's absolute URI", name, uri)
		}
	}
	v.uris(r["results"], bases, at+".results")
	suppressed := 0
	results := r["results"].([]any)
	for i, item := range results {
		res, at := item.(object), fmt.Sprintf("%s.results[%d]", at, i)
		v.index(driver["rules"], res["ruleIndex"], res["ruleId"], at)
		if res["suppressions"] != nil {
			suppressed++
		}
		v.links(res, at)
	}
	if suppressed != 0 && suppressed != len(results) {
		v.bad(at, "%d of %d results have suppressions, which is neither all nor none", suppressed, len(results))
	}
	for i, call := range r["invocations"].([]any) {
		notices, _ := call.(object)["toolExecutionNotifications"].([]any)
		for j, n := range notices {
			ref := n.(object)["descriptor"].(object)
			v.index(driver["notifications"], ref["index"], ref["id"], fmt.Sprintf("%s.invocations[%d].toolExecutionNotifications[%d]", at, i, j))
		}
	}
}

func (v *validator) index(list, index, id any, at string) {
	descriptors, _ := list.([]any)
	i := int(index.(float64))
	if i < 0 || i >= len(descriptors) || descriptors[i].(object)["id"] != id {
		v.bad(at, "index %d is not that of %v", i, id)
	}
}

// uris wants a relative reference below each base, and nothing undefined.
func (v *validator) uris(value any, bases object, at string) {
	switch x := value.(type) {
	case []any:
		for i, item := range x {
			v.uris(item, bases, fmt.Sprintf("%s[%d]", at, i))
		}
	case object:
		for name, item := range x {
			v.uris(item, bases, at+"."+name)
		}
		base, based := x["uriBaseId"].(string)
		u, err := url.Parse(fmt.Sprint(x["uri"]))
		if based && (err != nil || u.IsAbs() || strings.HasPrefix(u.Path, "/") || slices.Contains(strings.Split(u.Path, "/"), "..")) {
			v.bad(at, "%v is not below a base", x["uri"])
		}
		if based && bases[base] == nil {
			v.bad(at, "%s is not among the bases %v", base, slices.Collect(maps.Keys(bases)))
		}
	}
}

var (
	linked      = regexp.MustCompile(`\]\((\d+)\)`)
	placeholder = regexp.MustCompile(`\{+|\}+`)
)

// links wants every link of a message to lead to a related location with an id of
// its own, and every brace doubled: no message has arguments.
func (v *validator) links(res object, at string) {
	text := res["message"].(object)["text"].(string)
	related, _ := res["relatedLocations"].([]any)
	ids := map[string]bool{}
	for _, l := range related {
		id := fmt.Sprint(l.(object)["id"])
		if ids[id] {
			v.bad(at, "two related locations have the id %s", id)
		}
		ids[id] = true
	}
	for _, m := range linked.FindAllStringSubmatch(text, -1) {
		if !ids[m[1]] {
			v.bad(at, "message links to %s, which is no related location", m[1])
		}
	}
	for _, m := range placeholder.FindAllString(text, -1) {
		if len(m)%2 != 0 {
			v.bad(at, "message has a single brace: %q", text)
		}
	}
}

// The validator itself finds what is wrong.
func TestValidate(t *testing.T) {
	good := render(t, reporttest.Find(t, "known"))
	if got := validate(good); got != nil {
		t.Fatalf("good log: %v", got)
	}
	for _, tt := range []struct{ old, new, want string }{
		{`"version": "2.1.0"`, `"version": "2.0.0"`, "log.version: is no 2.1.0"},
		{`"results":`, `"result":`, "result is unknown"},
		{`"startLine": 31`, `"startLine": 0`, "startLine: is no int>=1"},
		{`"startLine": 31`, `"startLine": 3.5`, "startLine: is no int>=1"},
		{`"level": "error"`, `"level": "bad"`, "level: is no none|note"},
		{`"ruleIndex": 0`, `"ruleIndex": 1`, "index 1 is not that of race-write-write"},
		{`"uri": "app/main.go"`, `"uri": "app main.go"`, "uri: is no uri"},
		{`"uri": "app/main.go"`, `"uri": "/app/main.go"`, "not below a base"},
		{`"uri": "app/main.go"`, `"uri": "../main.go"`, "not below a base"},
		{`"uriBaseId": "%SRCROOT%"`, `"uriBaseId": "ROOT"`, "ROOT is not among the bases"},
		{`"suppressions": []`, `"suppressions": null`, "is no array"},
		{`"executionSuccessful": true,`, ``, "executionSuccessful is missing"},
		{`](1)`, `](9)`, "links to 9"},
		{`"kinds": [`, `"kinds": ["spawn",`, "is no kind: spawn"},
		{"are in no order.", "{0}", "single brace"},
		{`"id": 2,`, `"id": 1,`, "two related locations have the id 1"},
	} {
		if !bytes.Contains(good, []byte(tt.old)) {
			t.Errorf("the log has no %s", tt.old)
		}
		got := strings.Join(validate(bytes.Replace(good, []byte(tt.old), []byte(tt.new), 1)), "\n")
		if !strings.Contains(got, tt.want) {
			t.Errorf("%s instead of %s: got %q, want %q", tt.new, tt.old, got, tt.want)
		}
	}
}
