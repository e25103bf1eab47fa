package instrument

import (
	"fmt"
	"slices"
	"strings"
)

// goflags is what of the user's GOFLAGS the flags of an instrumented build
// would otherwise override. The rest of GOFLAGS stays in force by itself.
type goflags struct {
	tags    []string
	gcflags []string
	ldflags []string
	modMod  bool
}

// refused are the flags under which a build cannot be instrumented, with the
// reason.
var refused = map[string]string{
	"race":       "detrace takes its place",
	"msan":       "it cannot be combined with detrace",
	"asan":       "it cannot be combined with detrace",
	"cover":      "its counters would be reported as races",
	"overlay":    "detrace needs the overlay of the go command for itself",
	"n":          "it keeps the go command from building",
	"linkshared": "it cannot be combined with detrace",
}

// parseGoflags reads the value of GOFLAGS.
func parseGoflags(value string) (goflags, error) {
	var f goflags
	for _, field := range splitQuoted(value) {
		name, value, hasValue := strings.Cut(strings.TrimLeft(field, "-"), "=")
		if why := refused[name]; why != "" && value != "false" && value != "0" {
			return f, &Error{Reason: fmt.Sprintf("GOFLAGS contains -%s: %s; remove it (go env -u GOFLAGS, or GOFLAGS= in the environment)", name, why)}
		}
		if !hasValue {
			continue
		}
		switch name {
		case "tags":
			f.tags = splitTags(value)
		case "gcflags":
			f.gcflags = append(f.gcflags, value)
		case "ldflags":
			f.ldflags = append(f.ldflags, value)
		case "mod":
			f.modMod = value == "mod"
		case "compiler":
			if value != "gc" {
				return f, &Error{Reason: fmt.Sprintf("GOFLAGS contains -compiler=%s: detrace needs the gc compiler; remove it", value)}
			}
		}
	}
	return f, nil
}

// args are the build flags of an instrumented build with the overlay in the
// file overlay, in addition to what is in force from GOFLAGS.
func (f goflags) args(overlay string, tags []string) []string {
	args := append([]string{"-overlay=" + overlay}, f.listArgs(tags)...)
	const pass = "-race -d=checkptr=0"
	args = append(args, "-gcflags=all="+pass)
	// The last flag that matches a package is the only one that counts for it,
	// so what the user asked for is repeated together with the pass.
	for _, g := range f.gcflags {
		args = append(args, "-gcflags="+strings.TrimSpace(g+" "+pass))
	}
	return append(args,
		// Unoptimised, the library's and the detector's frames are too large
		// for the stack that functions share which must not grow it.
		"-gcflags=std="+pass, "-gcflags="+judgedRoot+"/...=",
		// Reports name source files, so their real paths must be in the binary.
		"-trimpath=false", "-buildvcs=false", "-json=false")
}

// noDebug are further flags, for a program without debugging information.
func (f goflags) noDebug() []string {
	args := []string{"-ldflags=-w"}
	for _, l := range f.ldflags {
		args = append(args, "-ldflags="+strings.TrimSpace(l+" -w"))
	}
	return args
}

// buildTag is set in every instrumented build, beside "race".
const buildTag = "detrace"

// listArgs are those of args that decide which files belong to the program.
func (f goflags) listArgs(tags []string) []string {
	all := append([]string{"race", buildTag}, f.tags...)
	for _, tag := range tags {
		all = append(all, splitTags(tag)...)
	}
	slices.Sort(all)
	args := []string{"-tags=" + strings.Join(slices.Compact(all), ",")}
	if f.modMod {
		args = append(args, "-mod=readonly") // go.mod stays as it is
	}
	return args
}

func splitTags(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == ' ' })
}

// splitQuoted splits s as the go command splits GOFLAGS: at spaces, where a
// field may stand in quotes as a whole.
func splitQuoted(s string) []string {
	var fields []string
	for s = strings.TrimSpace(s); s != ""; s = strings.TrimSpace(s) {
		end, skip := strings.IndexAny(s, " \t\r\n"), 0
		if s[0] == '"' || s[0] == '\'' {
			end, skip = strings.IndexByte(s[1:], s[0]), 1
		}
		if end < 0 {
			end = len(s) - skip
		}
		fields = append(fields, s[skip:skip+end])
		s = s[min(len(s), 2*skip+end):]
	}
	return fields
}
