package instrument

import (
	"slices"
	"strings"
)

const (
	bytesGo   = "bytes/bytes.go"
	crc32Go   = "hash/crc32/crc32.go"
	maphashGo = "hash/maphash/maphash_runtime.go"
	md5Go     = "crypto/md5/md5.go"
	sha1Go    = "crypto/sha1/sha1block_amd64.go"
	memclrAsm = "runtime/memclr_amd64.s"
	barrierGo = "runtime/mbarrier.go"
	bigGo     = "math/big/arith_decl.go"
	bigAsm    = "math/big/arith_amd64.s"

	fips       = "crypto/internal/fips140/"
	xorGo      = fips + "subtle/xor.go"
	aesGo      = fips + "aes/aes_asm.go"
	ctrGo      = fips + "aes/ctr.go"
	gcmGo      = fips + "aes/gcm/gcm_asm.go"
	tellImport = `"crypto/internal/fips140deps/cpu"`
)

// assemblyEdits tell of what assembly reads and writes, which has no hooks, in the functions
// of the library that call it. Package bytes has more of it in probe/bytes: a search reads
// only as far as it has to look. No line moves. The packages of crypto/internal/fips140 may not
// import package race, so they tell through a new file of one that they may; numbers of their
// own, which keys are made of, they do not tell.
var assemblyEdits = slices.Concat([]edit{
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

	literal(fips+"sha256/sha256block_amd64.go", blockBegin, blockBegin+" cpu.DetraceRead(p);", 1),
	literal(fips+"sha512/sha512block_amd64.go", blockBegin, blockBegin+" cpu.DetraceRead(p);", 1),
	literal(xorGo, `import "crypto/internal/fips140/alias"`, `import "crypto/internal/fips140/alias"; import `+tellImport, 1),
	literal(xorGo, `	xorBytes(`, `	cpu.DetraceRead(x[:n]); cpu.DetraceRead(y[:n]); cpu.DetraceWrite(dst[:n]); xorBytes(`, 1),
	literal(aesGo, `		expandKeyAsm(`, `		cpu.DetraceRead(key); expandKeyAsm(`, 1),
	literal(aesGo, `		encryptBlockAsm(`, `		cpu.DetraceRead(src[:BlockSize]); cpu.DetraceWrite(dst[:BlockSize]); encryptBlockAsm(`, 1),
	literal(aesGo, `		decryptBlockAsm(`, `		cpu.DetraceRead(src[:BlockSize]); cpu.DetraceWrite(dst[:BlockSize]); decryptBlockAsm(`, 1),
	literal(ctrGo, `	"crypto/internal/fips140deps/byteorder"`, `	"crypto/internal/fips140deps/byteorder"; `+tellImport, 1),
	literal(ctrGo, `	ivlo, ivhi := add128(c.ivlo, c.ivhi, offset/BlockSize)`,
		`	cpu.DetraceRead(src); cpu.DetraceWrite(dst); ivlo, ivhi := add128(c.ivlo, c.ivhi, offset/BlockSize)`, 1),
	literal(gcmGo, `		sealGeneric(out, g, nonce, plaintext, data)
		return
	}
`, `		sealGeneric(out, g, nonce, plaintext, data)
		return
	}; cpu.DetraceRead(nonce); cpu.DetraceRead(data); cpu.DetraceRead(plaintext); cpu.DetraceWrite(out[:len(plaintext)])
`, 1),
	literal(gcmGo, `	ciphertext = ciphertext[:len(ciphertext)-g.tagSize]
`, `	ciphertext = ciphertext[:len(ciphertext)-g.tagSize]; cpu.DetraceRead(nonce); cpu.DetraceRead(data); cpu.DetraceRead(ciphertext); cpu.DetraceWrite(out[:len(ciphertext)])
`, 1),
}, vectors("addVV", "z, x, y []Word", "x", "y"),
	vectors("subVV", "z, x, y []Word", "x", "y"),
	vectors("lshVU", "z, x []Word, s uint", "x", "s"),
	vectors("rshVU", "z, x []Word, s uint", "x", "s"),
	vectors("mulAddVWW", "z, x []Word, m, a Word", "x", "m", "a"),
	vectors("addMulVVWW", "z, x, y []Word, m, a Word", "x", "y", "m", "a"))

const blockBegin = `func block(dig *Digest, p []byte) {`

// vectors lets the function called name of package big, which is in assembly, tell what it
// touches: words of z and of those of the other arguments that are slices. The assembly is
// renamed.
func vectors(name, parameters string, others ...string) []edit {
	y := "nil"
	if slices.Contains(others, "y") {
		y = "y"
	}
	decl := "func NAME(" + parameters + ") (c Word)"
	tells := decl + " { detraceVectors(z, x, " + y + "); return detraceNAME(z, " + strings.Join(others, ", ") + ") }"
	replace := strings.NewReplacer("NAME", name).Replace
	return []edit{
		literal(bigGo, replace(decl+"\n"), replace(strings.Replace(decl, "NAME", "detraceNAME", 1)+"; "+tells+"\n"), 1),
		literal(bigAsm, "TEXT ·"+name+"(SB)", "TEXT ·detrace"+name+"(SB)", 1),
	}
}

// importing adds what reading needs to an import of the file.
func importing(file, anchor string) edit {
	return literal(file, anchor, anchor+`; "internal/race"; "unsafe"`, 1)
}

// reading lets the function that begins so tell that it reads all of its parameter p.
func reading(file, begin string) edit {
	return literal(file, begin, begin+" "+tell("p")+";", 1)
}

// tell tells of a read of all of a slice.
func tell(slice string) string { return touching("ReadRange", slice) }

// touching tells of an access to all of a slice, by a function of package race. As a number its
// address does not make it escape.
func touching(access, slice string) string {
	return strings.NewReplacer("ACCESS", access, "SLICE", slice).Replace("if detraceAt := uintptr(unsafe.Pointer(unsafe.SliceData(SLICE))); len(SLICE) > 0 { race.ACCESS(unsafe.Pointer(detraceAt), len(SLICE)) }")
}
