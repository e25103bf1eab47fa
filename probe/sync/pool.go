//go:build judged

package sync

import _ "unsafe" // for linkname

// detraceBorrows tells that the caller asks a pool for an object, detraceReturns that it has
// put one back.
//
//go:linkname detraceBorrows runtime.detraceBorrows
func detraceBorrows()

//go:linkname detraceReturns runtime.detraceReturns
func detraceReturns()
