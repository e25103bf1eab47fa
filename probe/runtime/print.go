//go:build judged

package runtime

import (
	"github.com/detrace/detrace/internal/record"
	"github.com/detrace/detrace/shadow"
)

// What a binary made by detrace build says on its own, without the detrace
// command: complete, but without the source text.

func detprintpair(kind uint32, addr uintptr, first, second shadow.Access) {
	printlock()
	if kind == record.KindRace {
		print("detrace: race at address ", hex(addr), ": no join orders these two accesses\n")
	} else {
		print("detrace: luck at address ", hex(addr), ": this schedule orders these two accesses, another may not\n")
	}
	detprintaccess("  first:  ", first)
	detprintaccess("  second: ", second)
	printunlock()
}

func detprintaccess(label string, a shadow.Access) {
	print(label)
	switch a.Op {
	case shadow.Read:
		print("read")
	case shadow.Write:
		print("write")
	case shadow.AtomicRead:
		print("atomic read")
	case shadow.AtomicWrite:
		print("atomic write")
	}
	print(" by task ", dettasknumber(a.Strand.Task()), "\n")
	detprintstack(detfull(a))
	for t := a.Strand.Task(); ; {
		parent, _ := det.Engine.Parent(t)
		if parent == det.Engine.Root() {
			return
		}
		print("    task ", dettasknumber(t), " was started by task ", dettasknumber(parent), "\n")
		detprintstack(det.Engine.ForkStack(t))
		t = parent
	}
}

func detprintstack(stack uint32) {
	var u detunwinder
	for u.init(stack); u.next(); {
		if detpkg(u.frame.fn) == "runtime" {
			continue
		}
		print("      ", u.frame.fn, "\n        ", u.frame.file, ":", u.frame.line, "\n")
	}
}

func detprintreason(code, stack uint32) {
	printlock()
	switch code {
	case detreasonlock:
		print("detrace: the schedule decides who takes this lock first\n")
	case detreasonatomic:
		print("detrace: the schedule decides the order of these atomic operations\n")
	case detreasonselect:
		print("detrace: the schedule decides which case of this select runs, or whether this context is cancelled by now\n")
	case detreasonchan:
		print("detrace: the schedule decides who sends or receives first on this channel\n")
	case detreasonfirst:
		print("detrace: the schedule decides which of these calls is the first, the only one that counts\n")
	case detreasonio:
		print("detrace: the schedule decides which of these comes first at one file or connection\n")
	case detreasonend:
		print("detrace: the schedule decides whether this is written, or how far this goroutine comes, before the program ends\n")
	case detreasonhistory:
		print("detrace: the access history is full; not every access was remembered\n")
	}
	detprintstack(stack)
	printunlock()
}

func detprintverdict(code int32) {
	printlock()
	switch {
	case detout.config == record.ConfigReach:
		print("detrace: no verdict: nothing was judged, only the order of tasks kept (DETRACE_CONFIG=reach)\n")
	case detout.config == record.ConfigInstr:
		print("detrace: no verdict: nothing was judged, accesses were seen and forgotten (DETRACE_CONFIG=instr)\n")
	case detout.races > 0:
		print("detrace: verdict: race (", detout.races, " pairs of call stacks)\n")
	case detout.observed:
		print("detrace: verdict: not-certified: judged by the edges of this schedule only\n")
	case detout.reasons > 0:
		print("detrace: verdict: not-certified (", detout.reasons, " reasons above)\n")
	default:
		print("detrace: verdict: determinate: no schedule of this program on this input races\n")
	}
	printunlock()
}
