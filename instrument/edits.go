package instrument

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// An edit changes one file of package runtime at an anchor. The anchor must
// match exactly count times: a Go version that moved it is refused, because a
// hook that is silently not there is a race that is silently not seen.
type edit struct {
	file   string // below GOROOT/src
	name   string // what the anchor is, for the error
	anchor *regexp.Regexp
	with   string // replacement, in the syntax of regexp.Expand
	count  int
}

// literal is an edit whose anchor and replacement are plain text.
func literal(file, anchor, with string, count int) edit {
	name, _, _ := strings.Cut(strings.TrimSpace(anchor), "\n")
	return edit{file, name, regexp.MustCompile(regexp.QuoteMeta(anchor)), strings.ReplaceAll(with, "$", "$$"), count}
}

// pattern is an edit whose anchor is a regular expression in multi-line mode.
func pattern(file, anchor, with string, count int) edit {
	return edit{file, anchor, regexp.MustCompile("(?m)" + anchor), with, count}
}

const (
	raceGo  = "runtime/race.go"
	raceAsm = "runtime/race_amd64.s"
	procGo  = "runtime/proc.go"
	chanGo  = "runtime/chan.go"
	mheapGo = "runtime/mheap.go"
	stackGo = "runtime/stack.go"

	selectGo = "runtime/select.go"
	poolGo   = "sync/pool.go"

	waitGroupGo = "sync/waitgroup.go"
	mutexGo     = "sync/mutex.go"
	rwmutexGo   = "sync/rwmutex.go"

	contextGo = "context/context.go"
	serverGo  = "net/http/server.go"
)

// edits is every change made to files of the user's GOROOT, in order; the
// assembly bodies that are replaced whole are in probe/asm.
//
// Go's race.go and race_amd64.s stay: their address filters, ABI wrappers and
// calling conventions are what the compiler and the library rely on. Only the
// entry points of the C++ race runtime behind racecall become operation
// numbers, the constants detop_* that probe/runtime declares.
var edits = []edit{
	pattern(raceGo, `^//go:cgo_import_static __tsan_\w+\n`, ``, 39),
	pattern(raceGo, `^//go:linkname __tsan_\w+ __tsan_\w+\nvar __tsan_\w+ byte\n`, ``, 17),
	pattern(raceGo, `&__tsan_(\w+)`, `detop_$1`, 21),
	literal(raceGo, `func racecall(fn *byte,`, `func racecall(fn uintptr,`, 1),
	literal(raceGo, `if !iscgo && GOOS != "darwin" {`, `if false {`, 1),

	pattern(raceAsm, `\$__tsan_(\w+)\(SB\)`, `$$const_detop_$1`, 26),

	// Go tells the race runtime only of exit code 0; detrace wants every end, and who comes to it.
	pattern(procGo, `^\t\tracefini\(\)(?: // does not return)?\n\t\}\n\n(\texit\(0\)|\t// Check for C)`,
		"\t\tdetend()\n\t\tracefini()\n\t}\n\n$1", 1),
	literal(procGo, `	runExitHooks(exitCode)
	if exitCode == 0 && raceenabled {
		racefini()
`, `	runExitHooks(exitCode)
	if raceenabled {
		detend()
		detexit(exitCode)
	}
	if exitCode == 0 && raceenabled {
		racefini()
`, 1),

	// A new goroutine has as much stack as one that takes the place of another, see detstack.
	literal(procGo, `newg = malg(stackMin)`, `newg = malg(int32(startingStackSize))`, 1),

	// A run of tasks alone has one verdict however they are scheduled, see detraceEnter.
	literal(procGo, `const randomizeScheduler = raceenabled`, `var randomizeScheduler = raceenabled`, 1),

	literal(mheapGo, `	sysMap(unsafe.Pointer(v), nBase-v, &gcController.heapReleased, "heap")
`, `	sysMap(unsafe.Pointer(v), nBase-v, &gcController.heapReleased, "heap")
	detdensify(v, nBase-v)
`, 1),

	// Frames are told from each other by where they lie.
	literal(stackGo, `	// Swap out old stack for new one
	gp.stack = new
`, `	// Swap out old stack for new one
	gp.stack = new
	detmoved(gp)
`, 1),

	// Who sends and who receives, and the edges of the operation, told at once. Unordered
	// senders or receivers of one channel are the schedule's choice.
	literal(chanGo, `	if raceenabled {
		if c.dataqsiz == 0 {
			racesync(c, sg)
		} else {
			// Pretend we go through the buffer, even though
			// we copy directly. Note that we need to increment
			// the head/tail locations only when raceenabled.
			racenotify(c, c.recvx, nil)
			racenotify(c, c.recvx, sg)
`, `	unread := skip & detunread
	skip &^= detunread
	if raceenabled {
		detpass(c, c.recvx, getg(), sg.g, unread)
		if c.dataqsiz != 0 {
			// Pretend we go through the buffer, even though
			// we copy directly. Note that we need to increment
			// the head/tail locations only when raceenabled.
`, 1),
	literal(chanGo, `		if raceenabled {
			racesync(c, sg)
		}
`, `		if raceenabled {
			detpass(c, 0, sg.g, getg(), 0)
		}
`, 1),
	literal(chanGo, `			racenotify(c, c.recvx, nil)
			racenotify(c, c.recvx, sg)
		}
		// copy data from queue to receiver
`, `			detpass(c, c.recvx, sg.g, getg(), 0)
		}
		// copy data from queue to receiver
`, 1),
	literal(chanGo, `			racenotify(c, c.sendx, nil)
`, `			detpass(c, c.sendx, getg(), nil, detunread)
`, 1),
	literal(chanGo, `		if raceenabled {
			racenotify(c, c.recvx, nil)
		}
`, `		if raceenabled {
			detpass(c, c.recvx, nil, getg(), 0)
		}
`, 1),
	literal(selectGo, `		racenotify(c, c.recvx, nil)
`, `		detpass(c, c.recvx, nil, getg(), 0)
`, 1),
	literal(selectGo, `		racenotify(c, c.sendx, nil)
`, `		detpass(c, c.sendx, getg(), nil, 0)
`, 1),

	// A send reads that the channel is open, which it tells when it begins: with the value, if
	// one passes, in detpass.
	literal(chanGo, `	if raceenabled {
		racereadpc(c.raceaddr(), callerpc, abi.FuncPCABIInternal(chansend))
	}

`, ``, 1),
	literal(chanGo, `	if !block && c.closed == 0 && full(c) {
		return false
	}
`, `	if !block && c.closed == 0 && full(c) {
		if raceenabled {
			racereadpc(c.raceaddr(), callerpc, abi.FuncPCABIInternal(chansend))
		}
		return false
	}
`, 1),
	literal(chanGo, `	if c.closed != 0 {
		unlock(&c.lock)
		panic(plainError("send on closed channel"))
	}
`, `	if c.closed != 0 {
		if raceenabled {
			racereadpc(c.raceaddr(), callerpc, abi.FuncPCABIInternal(chansend))
		}
		unlock(&c.lock)
		panic(plainError("send on closed channel"))
	}
`, 1),
	literal(chanGo, `		send(c, sg, ep, func() { unlock(&c.lock) }, 3)
		return true
	}
`, `		send(c, sg, ep, func() { unlock(&c.lock) }, 3|detunread)
		return true
	}
`, 1),
	literal(chanGo, `	if !block {
		unlock(&c.lock)
		return false
	}

	// Block on the channel. Some receiver`, `	if raceenabled {
		racereadpc(c.raceaddr(), callerpc, abi.FuncPCABIInternal(chansend))
	}
	if !block {
		unlock(&c.lock)
		return false
	}

	// Block on the channel. Some receiver`, 1),

	// And who receives nothing, as the channel is closed.
	literal(chanGo, `			raceacquireg(gp, c.raceaddr())
		}
		glist.push(gp)
	}

	// release all writers`, `			detchanclosed(c, gp)
			raceacquireg(gp, c.raceaddr())
		}
		glist.push(gp)
	}

	// release all writers`, 1),
	literal(chanGo, `				raceacquire(c.raceaddr())
`, `				detchanclosed(c, getg())
				raceacquire(c.raceaddr())
`, 2),
	literal(selectGo, `	if raceenabled {
		raceacquire(c.raceaddr())
	}
	goto retc
`, `	if raceenabled {
		detchanclosed(c, getg())
		raceacquire(c.raceaddr())
	}
	goto retc
`, 1),

	// What a pool hands on is ordered by the object itself, not by one of 128 words that
	// others share. Nothing else synchronises at an odd address.
	literal(poolGo, `	ptr := uintptr((*[2]unsafe.Pointer)(unsafe.Pointer(&x))[1])
	h := uint32((uint64(uint32(ptr)) * 0x85ebca6b) >> 16)
	return unsafe.Pointer(&poolRaceHash[h%uint32(len(poolRaceHash))])
`, `	return unsafe.Add((*[2]unsafe.Pointer)(unsafe.Pointer(&x))[1], 1)
`, 1),

	// Who asks for an object, and puts one back: what it allocates meanwhile may be part of it.
	literal(poolGo, `	if race.Enabled {
		race.Disable()
	}
	l, pid := p.pin()
	x := l.private
`, `	if race.Enabled {
		detraceBorrows(); race.Disable()
	}
	l, pid := p.pin()
	x := l.private
`, 1),
	literal(poolGo, `			// Randomly drop x on floor.
			return
`, `			// Randomly drop x on floor.
			detraceReturns(); return
`, 1),
	literal(poolGo, `		race.ReleaseMerge(poolRaceAddr(x))
`, `		race.ReleaseMerge(poolRaceAddr(x)); detraceReturns()
`, 1),

	// Go tells of the first goroutine only that has to wait in Wait. The hook of what Wait
	// acquires tells of all.
	literal(waitGroupGo, `				race.Write(unsafe.Pointer(&wg.sema))
`, `				// All waiters are told of where they acquire.
`, 1),

	// Who finds a lock taken: Go tells nothing of it, as it orders nothing.
	literal(mutexGo, `	return m.mu.TryLock()
`, `	return m.mu.TryLock() || m.detraceTried()
`, 1),
	literal(rwmutexGo, `		if c < 0 {
			if race.Enabled {
				race.Enable()
			}
			return false
`, `		if c < 0 {
			if race.Enabled {
				race.Enable()
			}
			return rw.detraceTried(false)
`, 1),
	literal(rwmutexGo, `	if !rw.w.TryLock() {
		if race.Enabled {
			race.Enable()
		}
		return false
`, `	if !rw.w.TryLock() {
		if race.Enabled {
			race.Enable()
		}
		return rw.detraceTried(true)
`, 1),
	literal(rwmutexGo, `		rw.w.Unlock()
		if race.Enabled {
			race.Enable()
		}
		return false
`, `		rw.w.Unlock()
		if race.Enabled {
			race.Enable()
		}
		return rw.detraceTried(true)
`, 1),

	// A context cancelled before anybody asked for its channel gets one of its own, so that
	// who receives from that comes after who cancelled.
	literal(contextGo, `		c.done.Store(closedchan)
`, `		d = make(chan struct{})
		close(d)
		c.done.Store(d)
`, 1),

	// The requests of one connection, which one goroutine serves.
	literal(serverGo, `func (c *conn) serve(ctx context.Context) {
`, `func (c *conn) serve(ctx context.Context) { var requests detraceRequests; defer requests.end()
`, 1),
	literal(serverGo, `		w, err := c.readRequest(ctx)
`, `		requests.next(c); w, err := c.readRequest(ctx)
`, 1),

	// A select that has a choice.
	literal(selectGo, `	gp := getg()
	if debugSelect {
		print("select: cas0=", cas0, "\n")
	}
`, `	gp := getg()
	if raceenabled && (nsends+nrecvs > 1 || !block) {
		detselect(gp)
	}
	if debugSelect {
		print("select: cas0=", cas0, "\n")
	}
`, 1),
	literal(chanGo, `	return chansend(c, elem, false, sys.GetCallerPC())
`, `	if raceenabled {
		detselect(getg())
	}
	return chansend(c, elem, false, sys.GetCallerPC())
`, 1),
	literal(chanGo, `func selectnbrecv(elem unsafe.Pointer, c *hchan) (selected, received bool) {
`, `func selectnbrecv(elem unsafe.Pointer, c *hchan) (selected, received bool) {
	if raceenabled {
		detselect(getg())
	}
`, 1),
}

// applyEdits is src with the edits of one file made. goversion is for errors.
func applyEdits(edits []edit, goversion, file string, src []byte) ([]byte, error) {
	for _, e := range edits {
		if e.file != file {
			continue
		}
		if n := len(e.anchor.FindAllIndex(src, -1)); n != e.count {
			return nil, anchorError(goversion, file, e.name, n, e.count)
		}
		src = e.anchor.ReplaceAll(src, []byte(e.with))
	}
	return src, nil
}

// anchorError names the Go version, the file and the anchor that do not fit.
func anchorError(goversion, file, anchor string, got, want int) error {
	return &Error{Reason: fmt.Sprintf("cannot instrument %s: in %s the anchor %q occurs %d times, expected %d; use a Go version this detrace supports (%s)",
		goversion, file, anchor, got, want, supported)}
}

// editedFiles are the files of GOROOT/src that edits name, each once.
func editedFiles(edits []edit) []string {
	var files []string
	for _, e := range edits {
		if !slices.Contains(files, e.file) {
			files = append(files, e.file)
		}
	}
	return files
}

// An asmBody is one file of probe/asm: text that stands in the place of the
// TEXT blocks named on its first line, "// replaces SYMBOL SYMBOL...".
type asmBody struct {
	file    string
	symbols []string
	text    []byte
}

// parseAsmBody reads a file of probe/asm.
func parseAsmBody(file string, src []byte) (asmBody, error) {
	first, rest, _ := bytes.Cut(src, []byte("\n"))
	names, ok := strings.CutPrefix(string(first), "// replaces ")
	if !ok || len(strings.Fields(names)) == 0 {
		return asmBody{}, fmt.Errorf("%s: the first line must be \"// replaces SYMBOL...\"", file)
	}
	return asmBody{file, strings.Fields(names), append(bytes.TrimSpace(rest), '\n')}, nil
}

// replaceAsm is src, an assembly file, with body in the place of the first
// TEXT block that body names and without the others it names.
func replaceAsm(body asmBody, goversion, file string, src []byte) ([]byte, error) {
	var cuts [][2]int
	for _, symbol := range body.symbols {
		blocks := textBlocks(src, symbol)
		if len(blocks) != 1 {
			return nil, anchorError(goversion, file, "TEXT "+symbol, len(blocks), 1)
		}
		cuts = append(cuts, blocks[0])
	}
	first := cuts[0][0]
	slices.SortFunc(cuts, func(a, b [2]int) int { return b[0] - a[0] })
	for _, cut := range cuts {
		var with []byte
		if cut[0] == first {
			with = body.text
		}
		src = slices.Concat(src[:cut[0]], with, src[cut[1]:])
	}
	return src, nil
}

var (
	textLine = regexp.MustCompile(`(?m)^TEXT[ \t]+([^ \t(]+?)(?:<ABIInternal>)?\(SB\)`)
	// Comments and blank lines before a TEXT line belong to it, not to the
	// block above.
	tailComments = regexp.MustCompile(`(?:\n(?:[ \t]*//[^\n]*)?)*\n?$`)
)

// textBlocks are the extents of the functions called symbol in src: from the
// TEXT line to the end of the last instruction's line.
func textBlocks(src []byte, symbol string) [][2]int {
	var blocks [][2]int
	all := textLine.FindAllSubmatchIndex(src, -1)
	for i, m := range all {
		if string(src[m[2]:m[3]]) != symbol {
			continue
		}
		end := len(src)
		if i+1 < len(all) {
			end = all[i+1][0]
		}
		tail := tailComments.FindIndex(src[m[0]:end])
		hi := m[0] + tail[0]
		if hi < end {
			hi++ // the newline of the last instruction
		}
		blocks = append(blocks, [2]int{m[0], hi})
	}
	return blocks
}
