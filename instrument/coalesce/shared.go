package coalesce

import (
	"fmt"
	"go/types"
)

// Variables of a function that others may reach as well, as they are captured by a closure and assigned,
// or have their address taken, are memory like those of a package: a nest that reads or writes one tells of
// it. But only the function has their names, so that a guard and a nest are handed where they are. Slices, strings,
// pointers and numbers are loaded there once and stored at the end: nothing else of the nest
// leads to them, and nobody else may look at them before it ends unless that is a race.

// reachable reports whether v, which others may reach, can be handed over so.
func (n *nest) reachable(v *types.Var) bool {
	if n.own.owner[v] == nil || v.Pos() >= n.stmt.Pos() && v.Pos() < n.stmt.End() {
		return false
	}
	switch v.Type().Underlying().(type) {
	case *types.Slice, *types.Pointer:
		return true
	}
	return isBasic(v.Type())
}

// handed is what guard and nest are called with for the variables that the nest uses.
func (e *emission) handed() (args []string) {
	for _, v := range e.inputs {
		if e.own.private(v) {
			args = append(args, v.Name())
		} else {
			args = append(args, "&"+v.Name())
		}
	}
	return args
}

// taken is the parameters for what is handed, and what is done with those of variables that others may
// reach when the function begins and when it ends.
func (e *emission) taken() (params []string, begin, end string) {
	for i, v := range e.inputs {
		if e.own.private(v) {
			params = append(params, v.Name()+" "+e.types[v])
			continue
		}
		at := fmt.Sprintf("detraceShared%d", i)
		params = append(params, at+" *"+e.types[v])
		begin += fmt.Sprintf("%[1]s := *%[2]s; _ = %[1]s; ", v.Name(), at)
		if e.assigned[v] > 0 {
			end += fmt.Sprintf("*%s = %s; ", at, v.Name())
		}
	}
	return params, begin, end
}
