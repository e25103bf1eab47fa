package record

// behind is how the names of functions begin that act on behalf of the language, or that
// detrace has added to the library.
var behind = [...]string{
	"runtime.", "internal/runtime/", "internal/race.", "internal/bytealg.", "internal/abi.",
	"bytes.detrace", "sync.(*Mutex).detrace", "sync.(*RWMutex).detrace", "math/big.detrace", "syscall.detrace",
	"internal/poll.detrace", "crypto/internal/fips140deps/cpu.Detrace",
}

// IsBehind reports whether the function of that name, with its package's path, acts on behalf of
// the language or of detrace: no source that a reader has calls it. Anybody may ask at any time.
func IsBehind(fn string) bool {
	for _, prefix := range &behind {
		if len(fn) >= len(prefix) && fn[:len(prefix)] == prefix {
			return true
		}
	}
	return false
}
