// Package detrace carries, as data, the sources of detrace that are linked
// into judged programs.
package detrace

import "embed"

// Sources holds them by their path in this module: the portable packages, the
// new files of packages runtime, testing, time, sync, bytes and others (probe/runtime ...), and the
// bodies of assembly functions of the runtime (probe/asm). Tests and files for the detrace
// process alone may be among them; package instrument leaves those out.
//
//go:embed internal/offheap/*.go internal/callstack/*.go internal/invariants/*.go internal/record/*.go internal/rawtrace/*.go
//go:embed internal/disjoint/*.go internal/label/*.go internal/omlist/*.go
//go:embed reach/*.go reach/spbags/*.go reach/multibags/*.go reach/multibagsplus/*.go reach/rsketch/*.go reach/lattice/*.go
//go:embed reach/drdp/*.go reach/order/*.go reach/sforder/*.go reach/forder/*.go reach/jointree/*.go
//go:embed construct/*.go shadow/*.go detect/*.go detect/engines/*.go
//go:embed probe/crypto/internal/fips140deps/cpu/*.go probe/runtime/*.go probe/testing/*.go probe/time/*.go probe/bytes/*.go probe/math/big/*.go probe/internal/poll/*.go probe/net/http/*.go probe/syscall/*.go probe/sync/*.go probe/asm/*.s
var Sources embed.FS
