//go:build detrace

package detracetest

import _ "unsafe" // for linkname

// Enabled reports whether detrace built this program.
const Enabled = true

// detraceScope begins a scope of that name whose races are kept as text.
//
//go:linkname detraceWatch runtime.detraceWatch
func detraceWatch(name string) (scope uint32)

//go:linkname detraceInScope runtime.detraceInScope
func detraceInScope(scope uint32) (before uint32)

// detraceGoOn lets goroutines of a scope that are left behind go on, for a while, and says
// in it which still do after that.
//
//go:linkname detraceGoOn runtime.detraceGoOn
func detraceGoOn(scope uint32)

// detraceFound is what was found in a scope, item by item, and whether it is a race;
// an empty text ends it.
//
//go:linkname detraceFound runtime.detraceFound
func detraceFound(scope, item uint32) (text string, race bool)

func determinate(t TB, f func()) {
	t.Helper()
	before := detraceInScope(0)
	scope := detraceWatch(t.Name())
	defer func() {
		t.Helper()
		if scope != 0 {
			detraceGoOn(scope)
		}
		detraceInScope(before)
		tell(t, scope)
	}()
	f()
}

// tell passes on what was found in a scope.
func tell(t TB, scope uint32) {
	t.Helper()
	for i := uint32(0); ; i++ {
		switch text, race := detraceFound(scope, i); {
		case text == "":
			return
		case race:
			t.Errorf("not determinate:\n%s", text)
		default:
			t.Logf("not certified:\n%s", text)
		}
	}
}
