//go:build judged && go1.26

package runtime

import "internal/runtime/syscall/linux"

func detsyscall(n, a, b, c, d, e, f uintptr) (r, errno uintptr) {
	r, _, errno = linux.Syscall6(n, a, b, c, d, e, f)
	return r, errno
}
