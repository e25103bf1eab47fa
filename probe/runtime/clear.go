//go:build judged

package runtime

import (
	"internal/abi"
	"unsafe"
)

// detclears tells that memory with pointers is cleared, if by clear of a slice: who else
// does it belongs to the runtime, which is linked before its assembly. pc is in who does.
//
//go:nosplit
func detclears(addr unsafe.Pointer, size, pc uintptr) {
	if gp := getg(); gp == gp.m.curg && pc > abi.FuncPCABIInternal(memclrNoHeapPointers) {
		racewriterangepc1(uintptr(addr), size, abi.FuncPCABIInternal(memclrHasPointers))
	}
}
