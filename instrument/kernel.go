package instrument

const (
	syscallGo   = "syscall/syscall_linux.go"
	syscall64Go = "syscall/syscall_linux_amd64.go"
	zsyscallGo  = "syscall/zsyscall_linux_amd64.go"
	writevGo    = "internal/poll/writev.go"
	sysrandGo   = "crypto/internal/sysrand/rand.go"
)

// kernelEdits tell of what the kernel reads and writes for system calls beside those that
// package syscall tells of itself, which are for files and streams. What is called by number
// is not told of.
var kernelEdits = []edit{
	deferring(zsyscallGo, `func recvfrom(fd int, p []byte, flags int, from *RawSockaddrAny, fromlen *_Socklen) (n int, err error) {`, `detraceFilled(p, &n)`, `detraceArrived(&err)`),
	deferring(zsyscallGo, `func sendto(s int, buf []byte, flags int, to unsafe.Pointer, addrlen _Socklen) (err error) {`, `detraceSent(buf, &err)`),
	literal(zsyscallGo, `	_, _, e1 := Syscall6(SYS_SENDTO,`, `	detraceSends(); _, _, e1 := Syscall6(SYS_SENDTO,`, 1),
	deferring(syscallGo, `func recvmsgRaw(fd int, p, oob []byte, flags int, rsa *RawSockaddrAny) (n, oobn int, recvflags int, err error) {`, `detraceFilled(p, &n)`, `detraceFilled(oob, &oobn)`, `detraceArrived(&err)`),
	deferring(syscallGo, `func sendmsgN(fd int, p, oob []byte, ptr unsafe.Pointer, salen _Socklen, flags int) (n int, err error) {`, `detraceTaken(p, &n)`, `detraceSent(oob, &err)`),
	literal(syscallGo, `	if n, err = sendmsg(fd, &msg, flags); err != nil {`, `	detraceSends(); if n, err = sendmsg(fd, &msg, flags); err != nil {`, 1),
	literal(writevGo, `		wrote, err = writev(fd.Sysfd, iovecs)`, `		detraceSends(); wrote, err = writev(fd.Sysfd, iovecs)`, 1),
	literal(writevGo, `		consume(v, int64(wrote))`, `		detraceTaken(*v, int64(wrote)); consume(v, int64(wrote))`, 1),
	importing(sysrandGo, `	"os"`),
	literal(sysrandGo, `func Read(b []byte) {`, `func Read(b []byte) { `+touching("WriteRange", "b")+`;`, 1),

	deferring(zsyscallGo, `func readlinkat(dirfd int, path string, buf []byte) (n int, err error) {`, `detraceFilled(buf, &n)`),
	deferring(zsyscallGo, `func Getcwd(buf []byte) (n int, err error) {`, `detraceFilled(buf, &n)`),
	deferring(zsyscallGo, `func Getdents(fd int, buf []byte) (n int, err error) {`, `detraceFilled(buf, &n)`),
	deferring(zsyscallGo, `func Getxattr(path string, attr string, dest []byte) (sz int, err error) {`, `detraceFilled(dest, &sz)`),
	deferring(zsyscallGo, `func Listxattr(path string, dest []byte) (sz int, err error) {`, `detraceFilled(dest, &sz)`),
	deferring(zsyscallGo, `func Setxattr(path string, attr string, data []byte, flags int) (err error) {`, `detraceSent(data, &err)`),
	deferring(zsyscallGo, `func EpollWait(epfd int, events []EpollEvent, msec int) (n int, err error) {`, `detraceFilled(events, &n)`),
	deferring(zsyscallGo, `func EpollCtl(epfd int, op int, fd int, event *EpollEvent) (err error) {`, `detraceGot(event, &err)`),
	deferring(zsyscallGo, `func Select(nfd int, r *FdSet, w *FdSet, e *FdSet, timeout *Timeval) (n int, err error) {`, `detraceSet(r, &err)`, `detraceSet(w, &err)`, `detraceSet(e, &err)`, `detraceSet(timeout, &err)`),

	deferring(zsyscallGo, `func Fstat(fd int, stat *Stat_t) (err error) {`, `detraceSet(stat, &err)`),
	deferring(zsyscallGo, `func fstatat(fd int, path string, stat *Stat_t, flags int) (err error) {`, `detraceSet(stat, &err)`),
	deferring(zsyscallGo, `func Fstatfs(fd int, buf *Statfs_t) (err error) {`, `detraceSet(buf, &err)`),
	deferring(zsyscallGo, `func Statfs(path string, buf *Statfs_t) (err error) {`, `detraceSet(buf, &err)`),
	deferring(zsyscallGo, `func Getrusage(who int, rusage *Rusage) (err error) {`, `detraceSet(rusage, &err)`),
	deferring(zsyscallGo, `func wait4(pid int, wstatus *_C_int, options int, rusage *Rusage) (wpid int, err error) {`, `detraceSet(rusage, &err)`),
	deferring(zsyscallGo, `func prlimit1(pid int, resource int, newlimit *Rlimit, old *Rlimit) (err error) {`, `detraceGot(newlimit, &err)`, `detraceSet(old, &err)`),
	deferring(zsyscallGo, `func Nanosleep(time *Timespec, leftover *Timespec) (err error) {`, `detraceGot(time, &err)`),
	deferring(zsyscallGo, `func Sysinfo(info *Sysinfo_t) (err error) {`, `detraceSet(info, &err)`),
	deferring(zsyscallGo, `func Times(tms *Tms) (ticks uintptr, err error) {`, `detraceSet(tms, &err)`),
	deferring(zsyscallGo, `func Uname(buf *Utsname) (err error) {`, `detraceSet(buf, &err)`),
	deferring(zsyscallGo, `func Utime(path string, buf *Utimbuf) (err error) {`, `detraceGot(buf, &err)`),
	deferring(zsyscallGo, `func utimes(path string, times *[2]Timeval) (err error) {`, `detraceGot(times, &err)`),
	deferring(zsyscallGo, `func utimensat(dirfd int, path string, times *[2]Timespec, flag int) (err error) {`, `detraceGot(times, &err)`),
	deferring(zsyscallGo, `func futimesat(dirfd int, path string, times *[2]Timeval) (err error) {`, `detraceGot(times, &err)`),
	deferring(syscall64Go, `func Gettimeofday(tv *Timeval) (err error) {`, `detraceSet(tv, &err)`),
}

// deferring lets the function that begins so defer calls.
func deferring(file, begin string, calls ...string) edit {
	with := begin
	for _, call := range calls {
		with += " defer " + call + ";"
	}
	return literal(file, begin, with, 1)
}
