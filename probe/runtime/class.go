//go:build judged

package runtime

import "internal/stringslite"

// What a stack that ends in a synchronisation operation is part of.
const (
	detclassunknown = iota
	detclassother   // the library's business, or a construct with certain edges
	detclasslock    // taking a lock of the program itself
	detclassunlock  // releasing one
	detclasschan    // a channel operation of the program itself
	detclassatomic  // an atomic operation of the program itself
	detclasstry     // taking a lock of the program if it is free
	detclassonce    // Do of a Once of the program
	detclassfirst   // where an errgroup keeps the first error
	detclassread    // the program reads from a file or a connection
	detclasswrite   // the program writes to one
	detclassseek    // the program moves to another position of a file
	detclassasks    // the program looks whether a context has been cancelled, or stops what that would run
	detclasscancels // a context is cancelled
	detclasscauses  // the same by who says why, or by a timer
	detclassleaves  // a context leaves its parent
	detclassputs    // the program writes to what only exists in memory
	detclassgets    // it reads from that

	detclassmask = 1<<5 - 1 // of all of them
)

// detclass classifies a stack, once.
func detclass(stack uint32) uint8 {
	c := detout.classes.At(stack)
	if *c == detclassunknown {
		*c = detclassify(stack)
	}
	return *c
}

// detclassify looks for the construct, the outermost of the innermost frames of
// package sync, and at who uses it: what the standard library does inside is its
// own business.
func detclassify(stack uint32) uint8 {
	class := uint8(detclassatomic) // functions of sync/atomic have no frame
	deadline, shared := false, false
	var u detunwinder
	for u.init(stack); u.next(); {
		name := u.frame.fn
		switch detpkg(name) {
		case "runtime":
			switch name {
			case "runtime.chansend", "runtime.chanrecv", "runtime.selectgo", "runtime.chanlen":
				class = detclasschan
			}
			continue
		case "internal/race":
			continue
		case "reflect":
			if class == detclasschan {
				continue // sends, receives and selects for the program
			}
		case "sync/atomic":
			class = detclassatomic
			continue
		case "sync", "internal/sync":
			switch detreceiver(name) {
			case "(*Mutex)", "(*RWMutex)", "(*rlocker)", "(*Cond)":
				class = detclasslock
				switch {
				case stringslite.HasSuffix(name, "nlock"):
					class = detclassunlock
				case stringslite.HasSuffix(name, "TryLock"), stringslite.HasSuffix(name, "TryRLock"):
					class = detclasstry
				}
			case "(*Once)":
				class = detclassonce
			case "(*Map)":
				class = detclassatomic
			default:
				class = detclassother
			}
			continue
		case "internal/poll":
			switch name {
			case "internal/poll.(*FD).writeLock", "internal/poll.(*FD).writeUnlock":
				class = detclasswrite
			case "internal/poll.(*FD).readLock", "internal/poll.(*FD).readUnlock":
				class = detclassread
			case "internal/poll.(*FD).Seek":
				class = detclassseek
			}
			continue
		case "context":
			if class = detcontextclass(name, class); class == detclassother {
				return class
			}
			deadline = deadline || stringslite.HasPrefix(name, "context.WithDeadlineCause.")
			continue
		}
		if u.frame.std {
			if now := detsharedclass(name, class); now != detclassunknown && class < detclassasks && !shared {
				class, shared = now, true
			}
			if shared {
				continue
			}
			switch class {
			case detclassread, detclasswrite, detclassseek:
				continue // package os or another may do it for the program
			case detclasscancels, detclasscauses:
				return detclasscancels // the program may see it all the same
			}
			return detclassother
		}
		if class == detclassonce && detpkg(name) == "golang.org/x/sync/errgroup" {
			return detclassfirst
		}
		return class
	}
	switch { // who began in package context
	case class == detclasscancels && deadline:
		return detclasscauses // the timer
	case class == detclasscancels, class == detclasscauses:
		return class
	}
	return detclassother
}

// detsharedclass is what a function of the library makes of a class if what it locks is the
// program's, which sees in which order that was done; unknown for all others.
func detsharedclass(name string, class uint8) uint8 {
	switch name {
	case "io.(*pipe).read", "net.(*pipe).read":
		return detclassgets
	case "io.(*pipe).write", "net.(*pipe).write", "log.(*Logger).output", "log/slog.(*commonHandler).handle",
		"log.(*Logger).SetOutput", "log.(*Logger).SetPrefix", "log.(*Logger).SetFlags", "log.(*Logger).Prefix", "log.(*Logger).Flags":
		if class != detclassunlock {
			return detclassputs
		}
	case "log/slog.SetDefault", "log/slog.Default", "log/slog.(*LevelVar).Set", "log/slog.(*LevelVar).Level":
		if class == detclassatomic {
			return class
		}
	case "go/token.(*FileSet).AddFile", "syscall.Getenv", "syscall.Setenv", "syscall.Unsetenv", "syscall.Clearenv", "syscall.Environ":
		return class
	}
	if class == detclassatomic && stringslite.HasPrefix(name, "expvar.(*") ||
		stringslite.HasPrefix(name, "math/rand.(*lockedSource).") {
		return class
	}
	return detclassunknown
}

// detcontextclass is what a function of package context makes of a class: that of the
// operation for the innermost one.
func detcontextclass(name string, class uint8) uint8 {
	switch {
	case class >= detclassasks:
		switch {
		case class == detclasscancels && stringslite.HasPrefix(name, "context.WithCancelCause."):
			return detclasscauses
		case class == detclassleaves && stringslite.HasPrefix(name, "context.AfterFunc."):
			return detclassasks
		}
		return class
	case class == detclassunlock:
	case name == "context.(*cancelCtx).Err", name == "context.(*cancelCtx).propagateCancel":
		return detclassasks
	case name == "context.(*cancelCtx).cancel":
		return detclasscancels
	case name == "context.removeChild":
		return detclassleaves
	case class == detclassonce && name == "context.(*afterFuncCtx).cancel": // its function runs, if not stopped
		return detclasscancels
	case class == detclassonce:
		return detclassasks
	}
	return detclassother
}
