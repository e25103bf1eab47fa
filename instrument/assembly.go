package instrument

import "strings"

const (
	bytesGo   = "bytes/bytes.go"
	crc32Go   = "hash/crc32/crc32.go"
	maphashGo = "hash/maphash/maphash_runtime.go"
	md5Go     = "crypto/md5/md5.go"
	sha1Go    = "crypto/sha1/sha1block_amd64.go"
	memclrAsm = "runtime/memclr_amd64.s"
	barrierGo = "runtime/mbarrier.go"
)

// assemblyEdits tell of what assembly reads and writes, which has no hooks, in the functions
// of the library that call it. Package bytes has more of it in probe/bytes: a search reads
// only as far as it has to look. No line moves. The packages of crypto/internal/fips140 may not
// import what tells.
var assemblyEdits = []edit{
	// Beside the runtime, which is linked before, only clear of a slice comes here.
	literal(memclrAsm, `TEXT runtime·memclrNoHeapPointers<ABIInternal>(SB), NOSPLIT, $0-16
`, `TEXT runtime·memclrNoHeapPointers<ABIInternal>(SB), NOSPLIT, $0-16
	LEAQ	runtime·memclrNoHeapPointers<ABIInternal>(SB), CX
	CMPQ	CX, 0(SP)
	JHI	byruntime
	JMP	runtime·detcleared<ABIInternal>(SB)
byruntime:
	JMP	runtime·detmemclr<ABIInternal>(SB)

TEXT runtime·detcleared<ABIInternal>(SB), NOSPLIT|NOFRAME, $0-16
	ADJSP	$40
	MOVQ	AX, 24(SP)
	MOVQ	BX, 32(SP)
	MOVQ	AX, 0(SP)
	MOVQ	BX, 8(SP)
	MOVQ	40(SP), CX
	SUBQ	$1, CX
	MOVQ	CX, 16(SP)
	CALL	runtime·racewriterangepc1(SB)
	MOVQ	24(SP), AX
	MOVQ	32(SP), BX
	XORPS	X15, X15
	ADJSP	$-40
	JMP	runtime·detmemclr<ABIInternal>(SB)

TEXT runtime·detmemclr<ABIInternal>(SB), NOSPLIT, $0-16
`, 1),
	literal(barrierGo, `	bulkBarrierPreWrite(uintptr(ptr), 0, n, nil)
	memclrNoHeapPointers(ptr, n)
`, `	bulkBarrierPreWrite(uintptr(ptr), 0, n, nil); detclears(ptr, n, sys.GetCallerPC())
	memclrNoHeapPointers(ptr, n)
`, 1),

	literal(bytesGo, `bytealg.Compare(`, `detraceCompare(`, 1),
	literal(bytesGo, `bytealg.Count(`, `detraceCount(`, 1),
	literal(bytesGo, `bytealg.IndexByte(`, `detraceIndexByte(`, 1),
	literal(bytesGo, `bytealg.Index(`, `detraceIndex(`, 3),

	importing(crc32Go, `	"internal/byteorder"`),
	reading(crc32Go, `func update(crc uint32, tab *Table, p []byte, checkInitIEEE bool) uint32 {`),
	literal(crc32Go, `	ieeeInitOnce()
	return updateIEEE(0, data)
`, `	ieeeInitOnce()
	`+tell("data")+`; return updateIEEE(0, data)
`, 1),

	literal(maphashGo, `	"internal/abi"`, `	"internal/abi"; "internal/race"`, 1),
	literal(maphashGo, `	len := len(buf)`, `	`+tell("buf")+`; len := len(buf)`, 1),

	importing(md5Go, `	"internal/byteorder"`),
	reading(md5Go, `func (d *digest) Write(p []byte) (nn int, err error) {`),
	importing(sha1Go, `	"crypto/internal/impl"`),
	reading(sha1Go, `func block(dig *digest, p []byte) {`),
}

// importing adds what reading needs to an import of the file.
func importing(file, anchor string) edit {
	return literal(file, anchor, anchor+`; "internal/race"; "unsafe"`, 1)
}

// reading lets the function that begins so tell that it reads all of its parameter p.
func reading(file, begin string) edit {
	return literal(file, begin, begin+" "+tell("p")+";", 1)
}

// tell tells of a read of all of a slice. As a number its address does not make it escape.
func tell(slice string) string {
	return strings.ReplaceAll("if detraceAt := uintptr(unsafe.Pointer(unsafe.SliceData(SLICE))); len(SLICE) > 0 { race.ReadRange(unsafe.Pointer(detraceAt), len(SLICE)) }", "SLICE", slice)
}
