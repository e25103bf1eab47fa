package instrument

const (
	mapsGo    = "maps/maps.go"
	chaCha8Go = "math/rand/v2/chacha8.go"
)

// quietEdits tell of what the library does with a program's memory in the runtime, or in
// packages that the compiler never instruments, where nothing tells: package reflect clears
// and sends, maps.Clone reads a map, and a ChaCha8 has its state in a package that the
// runtime uses. Who asks for the length of a channel sees who was there before.
var quietEdits = []edit{
	literal(barrierGo, `func reflect_typedmemclr(typ *_type, ptr unsafe.Pointer) {`,
		`func reflect_typedmemclr(typ *_type, ptr unsafe.Pointer) { raceWriteObjectPC(typ, ptr, sys.GetCallerPC(), abi.FuncPCABIInternal(reflect_typedmemclr));`, 1),
	literal(barrierGo, `func reflect_typedarrayclear(typ *_type, ptr unsafe.Pointer, len int) {`,
		`func reflect_typedarrayclear(typ *_type, ptr unsafe.Pointer, len int) { if len > 0 { racewriterangepc(ptr, typ.Size_*uintptr(len), sys.GetCallerPC(), abi.FuncPCABIInternal(reflect_typedarrayclear)) };`, 1),
	literal(chanGo, `func reflect_chansend(c *hchan, elem unsafe.Pointer, nb bool) (selected bool) {`,
		`func reflect_chansend(c *hchan, elem unsafe.Pointer, nb bool) (selected bool) { if c != nil { raceReadObjectPC(c.elemtype, elem, sys.GetCallerPC(), abi.FuncPCABIInternal(reflect_chansend)) }; if nb { detselect(getg()) };`, 1),
	literal(chanGo, `func reflect_chanrecv(c *hchan, nb bool, elem unsafe.Pointer) (selected bool, received bool) {`,
		`func reflect_chanrecv(c *hchan, nb bool, elem unsafe.Pointer) (selected bool, received bool) { if nb { detselect(getg()) };`, 1),
	literal(chanGo, `	if c.closed != 0 {
		unlock(&c.lock)
		panic(plainError("close of closed channel"))
`, `	if c.closed != 0 {
		unlock(&c.lock); racewritepc(c.raceaddr(), sys.GetCallerPC(), abi.FuncPCABIInternal(closechan))
		panic(plainError("close of closed channel"))
`, 1),

	literal(chanGo, `	if c.timer != nil && !async {
		// timer channels have a buffered implementation
		// but present to users as unbuffered, so that we can
		// undo sends without users noticing.
		return 0
	}
	return int(c.qcount)
`, `	if c.timer != nil && !async {
		// timer channels have a buffered implementation
		// but present to users as unbuffered, so that we can
		// undo sends without users noticing.
		return 0
	}; detchanlen(c)
	return int(c.qcount)
`, 1),

	literal(mapsGo, `	return clone(m).(M)`, `	for range m { break }; return clone(m).(M)`, 1),

	importing(chaCha8Go, `	"internal/chacha8rand"`),
	literal(chaCha8Go, `func (c *ChaCha8) Seed(seed [32]byte) {`, `func (c *ChaCha8) Seed(seed [32]byte) { race.Write(unsafe.Pointer(c));`, 1),
	literal(chaCha8Go, `func (c *ChaCha8) Uint64() uint64 {`, `func (c *ChaCha8) Uint64() uint64 { race.Write(unsafe.Pointer(c));`, 1),
	literal(chaCha8Go, `func (c *ChaCha8) UnmarshalBinary(data []byte) error {`, `func (c *ChaCha8) UnmarshalBinary(data []byte) error { race.Write(unsafe.Pointer(c));`, 1),
	literal(chaCha8Go, `func (c *ChaCha8) AppendBinary(b []byte) ([]byte, error) {`, `func (c *ChaCha8) AppendBinary(b []byte) ([]byte, error) { race.Read(unsafe.Pointer(c));`, 1),
}
