// replaces runtime·raceread

// ENDIFKNOWN returns from the hook when the access to the address in AX, in the heap or in a global
// variable, is known to change nothing: Proc.Known and Proc.KnownInRun of package detect, in assembly.
// kind is 0 for a read, 1 for a write. Otherwise it goes on at "elsewhere" with AX as it was, or
// at "unknown" with
//	DI detect.Proc, R9 detect.Local, BX cell, DX its value, R8 state of the byte
// A byte of a line that is not split leads to "byline", with DI and R9 as above, also where
// a line has a pair. BTL looks at 5 bits of CX, those of 24 and of the byte; the line doubled
// has the bit of a pair as its sign. What has no history may be on the own stack, so "fresh" and "byline" look.
#define ENDIFKNOWN(kind) \
	MOVQ	AX, CX \
	SHRQ	$const_detheapshift, CX \
	CMPQ	CX, runtime·detheapstart(SB) \
	JNE	other \
	MOVQ	runtime·detlines(SB), R8 \
lines: \
	MOVQ	g_m(R14), DI \
	MOVQ	g_racectx(R14), R9 \
	MOVQ	AX, CX \
	SHRQ	$const_detlineshift, CX \
	MOVQ	m_p(DI), DI \
	SHLQ	$const_detlocalshift, R9 \
	ADDQ	runtime·detlocals(SB), R9 \
	MOVQ	(R8)(CX*8), R8 \
	MOVQ	p_raceprocctx(DI), DI \
	MOVQ	(R9), SI \
	BTRQ	$const_detlinesplit, R8 \
	JCC	line \
	MOVL	AX, CX \
	ANDL	$56, CX \
	LEAQ	(R8)(CX*2), BX \
	MOVQ	(BX), DX \
	MOVL	AX, CX \
	ORL	$24, CX \
	MOVQ	DX, R8 \
	BTL	CX, R8 \
	JCS	found \
	SHRQ	$32, R8 \
	BTL	CX, R8 \
	JCC	new \
found: \
	ANDL	$const_detstate_mask, R8 \
	MOVBLZX	R8, CX \
	CMPL	R8, (const_detproc_known+kind*const_detfacts_size+const_detfacts_states)(DI)(CX*4) \
	JNE	unknown \
	CMPQ	SI, (const_detproc_known+kind*const_detfacts_size+const_detfacts_strands)(DI)(CX*8) \
	JNE	unknown \
	INCQ	(const_detlocal_accesses+kind*8)(R9) \
	RET \
line: \
	MOVBLZX	R8, CX \
	ADDQ	R8, R8 \
	JMI	byline \
	SHLQ	$(const_detrun_shift-1), R8 \
	CMPQ	R8, (const_detproc_known+kind*const_detfacts_size+const_detfacts_runs)(DI)(CX*8) \
	JNE	run \
	CMPQ	SI, (const_detproc_known+kind*const_detfacts_size+const_detfacts_strands)(DI)(CX*8) \
	JNE	byline \
	MOVQ	(const_detproc_known+kind*const_detfacts_size+const_detfacts_bytes)(DI)(CX*8), DX \
	BTQ	AX, DX \
	JCC	run \
	INCQ	(const_detlocal_accesses+kind*8)(R9) \
	RET \
run: \
	CMPQ	SI, (const_detproc_known+kind*const_detfacts_size+const_detfacts_strands)(DI)(CX*8) \
	JNE	byline \
	MOVQ	R8, DX \
	SHRQ	$const_detrun_shift, DX \
	ANDL	$const_detstate_mask, DX \
	JEQ	byline \
	CMPL	DX, (const_detproc_known+kind*const_detfacts_size+const_detfacts_states)(DI)(CX*4) \
	JNE	byline \
	MOVQ	R8, BX \
	SHRQ	$(const_detrun_shift+const_detline_first), BX \
	MOVL	AX, DX \
	SUBL	BX, DX \
	ANDL	$63, DX \
	SHRL	$(const_detline_length-const_detline_first), BX \
	MOVL	BX, R10 \
	ANDL	$63, R10 \
	CMPL	DX, R10 \
	JHI	byline \
	SHRL	$(const_detline_step-const_detline_length), BX \
	TESTL	BX, DX \
	JNE	byline \
	MOVQ	(const_detproc_known+kind*const_detfacts_size+const_detfacts_bytes)(DI)(CX*8), DX \
	CMPQ	R8, (const_detproc_known+kind*const_detfacts_size+const_detfacts_runs)(DI)(CX*8) \
	JEQ	more \
	MOVQ	R8, (const_detproc_known+kind*const_detfacts_size+const_detfacts_runs)(DI)(CX*8) \
	XORL	DX, DX \
more: \
	BTSQ	AX, DX \
	MOVQ	DX, (const_detproc_known+kind*const_detfacts_size+const_detfacts_bytes)(DI)(CX*8) \
	INCQ	(const_detlocal_accesses+kind*8)(R9) \
	RET \
new: \
	MOVQ	$const_detcell_masks, CX \
	TESTQ	CX, DX \
	JNE	fresh \
	MOVL	DX, R8 \
	TESTL	R8, R8 \
	JEQ	fresh \
	SHLQ	$const_detblockshift, R8 \
	ADDQ	runtime·detblocks(SB), R8 \
	MOVL	AX, CX \
	ANDL	$7, CX \
	MOVL	(R8)(CX*4), R8 \
	TESTL	R8, R8 \
	JNE	found \
fresh: \
	CMPQ	AX, (g_stack+stack_lo)(R14) \
	JCS	heap \
	CMPQ	AX, (g_stack+stack_hi)(R14) \
	JCS	mine \
heap: \
	XORL	R8, R8 \
	JMP	unknown \
other: \
	MOVQ	AX, CX \
	SUBQ	runtime·detdatastart(SB), CX \
	CMPQ	CX, runtime·detdatasize(SB) \
	JCC	elsewhere \
	MOVQ	runtime·detdatalines(SB), R8 \
	JMP	lines \
byline: \
	CMPQ	AX, (g_stack+stack_lo)(R14) \
	JCS	shared \
	CMPQ	AX, (g_stack+stack_hi)(R14) \
	JCC	shared \
mine: \
	RET \
unknown:

// The compiler calls this with the address in AX. A tail call, so that most
// accesses are decided without a stack switch; what follows finds the place of the
// access in its own return address. detaccess may have no more arguments than raceread,
// because the caller made room to spill only these. The program is about to load what it
// tells of: with misses and exchanges of ours in between, it would wait for that after them.
TEXT	runtime·raceread<ABIInternal>(SB), NOSPLIT|NOFRAME, $0-8
	PREFETCHT0	(AX)
	ENDIFKNOWN(0)
	MOVQ	0(SP), R10
	MOVQ	BP, R11
	JMP	detrepeat<>(SB)
shared:
	MOVQ	0(SP), R10
	MOVQ	BP, R11
	JMP	detinline<>(SB)
elsewhere:
	JMP	runtime·detaccess<ABIInternal>(SB)

// Goes on with what ENDIFKNOWN left, R10 = the word of detect.AccessAt and R11 =
// the frame pointer of the program's function: makes the transition that
// detect.Repeat would, if it is its first guess, no race, in a context that is known and in
// which it was made last too, and the cell has no block and room for it.
TEXT	detrepeat<>(SB), NOSPLIT|NOFRAME, $0-0
	MOVQ	$0x9E3779B97F4A7C15, CX
	IMULQ	R8, CX
	MOVQ	$0xC2B2AE3D27D4EB4F, SI
	IMULQ	R10, SI
	ADDQ	SI, CX
	SHRQ	$40, CX
	MOVBLZX	CX, CX
	LEAQ	(CX)(CX*4), CX
	LEAQ	const_detproc_moves(DI)(CX*8), CX
	CMPQ	R10, const_detmove_at(CX)
	JNE	rest
	CMPL	R8, const_detmove_before(CX)
	JNE	rest
	MOVQ	(R9), SI
	CMPQ	SI, const_detmove_strand(CX)
	JNE	rest
	CMPQ	const_detmove_counts(CX), $0
	JNE	rest
	MOVQ	8(R11), R12
	MOVQ	R11, R13
	SHRQ	$4, R13
	XORQ	R12, R13
	ANDL	$63, R13
	LEAQ	(R13)(R13*4), R13
	LEAQ	const_detproc_acts(DI)(R13*8), R13
	CMPQ	R11, const_detact_base(R13)
	JNE	stale
	CMPQ	R12, const_detact_return(R13)
	JNE	stale
	SHRQ	$32, SI
	CMPL	SI, const_detact_task(R13)
	JNE	stale
	MOVQ	8(R9), SI
	CMPQ	SI, const_detact_version(R13)
	JNE	called
fresh:
	MOVL	const_detact_context(R13), R13
	TESTL	R13, R13
	JEQ	stale
	CMPL	R13, const_detmove_context(CX)
	JNE	rest
	MOVL	const_detmove_after(CX), SI
	// The bytes in SI, the slot of the byte's own, into the slots in R11 and R12, as
	// put of a shadow cell does. A block has slots without bytes.
	MOVL	AX, CX
	ORL	$24, CX
	BTSL	CX, SI
	MOVL	DX, R11
	BTRL	CX, R11
	MOVQ	DX, R12
	SHRQ	$32, R12
	BTRL	CX, R12
	TESTQ	DX, DX
	JEQ	lower
	MOVQ	$const_detcell_masks, CX
	TESTQ	CX, DX
	JEQ	block
	XORL	CX, CX
	CMPL	R11, $const_detstate_mask
	CMOVLLS	CX, R11 // no bytes are left
	CMPL	R12, $const_detstate_mask
	CMOVLLS	CX, R12
	MOVL	R12, CX
	XORL	SI, CX
	SHLL	$8, CX
	JEQ	upper
	TESTL	R11, R11
	JEQ	lower
	MOVL	R11, CX
	XORL	SI, CX
	SHLL	$8, CX
	JEQ	lower
	TESTL	R12, R12
	JNE	block
upper:
	ORL	SI, R12
	JMP	change
lower:
	ORL	SI, R11
change:
	SHLQ	$32, R12
	ORQ	R11, R12
	MOVQ	AX, SI
	MOVQ	DX, AX
	LOCK
	CMPXCHGQ	R12, (BX)
	MOVQ	SI, AX
	JNE	block
	// The context is that of the half only if no other byte of it has a history.
	MOVQ	DX, R12
	SHRQ	$32, R12
	ORL	R12, DX
	SHRL	$24, DX
	MOVL	AX, CX
	ANDL	$7, CX
	BTRL	CX, DX
	ANDL	$4, CX
	SHRL	CX, DX
	XORL	SI, SI
	TESTL	$15, DX
	CMOVLNE	SI, R13
	MOVL	R13, const_detcell_contexts(BX)(CX*1)
	SHRQ	$63, R10
	INCQ	const_detlocal_accesses(R9)(R10*8)
	RET
block:
	MOVQ	BP, R11
rest:
	JMP	detrepeatslow<>(SB)
called:
	// As activation.stands: of a frame that is not counted there is no move.
	MOVQ	(g_stack+stack_hi)(R14), R12
	SUBL	R11, R12
	CMPL	R12, const_detact_depth(R13)
	JNE	stale
	IMUL3L	$const_detentered_scale, R12, R12
	SHRL	$const_detentered_shift, R12
	MOVL	const_detlocal_entered(R9)(R12*4), R12
	TESTL	R12, R12
	JEQ	stale
	CMPL	R12, const_detact_entered(R13)
	JNE	stale
	MOVQ	SI, R12
	SUBQ	const_detact_version(R13), R12
	SHRQ	$31, R12
	JNE	stale
	MOVQ	SI, const_detact_version(R13)
	JMP	fresh
stale:
	MOVQ	$(1<<63), CX
	ANDQ	CX, R10
	ORQ	R10, AX
	MOVQ	$(const_detstale<<const_detpathshift), CX
	ORQ	CX, AX
	JMP	runtime·detaccess<ABIInternal>(SB)

// What ENDIFKNOWN leaves at byline, with R10 and R11 as for detrepeat: detect.InLine, or
// else detaccess, which need not look again.
TEXT	detinline<>(SB), NOSPLIT, $80-0
	MOVQ	AX, 64(SP)
	MOVQ	R10, 72(SP)
	MOVQ	AX, CX
	MOVQ	DI, AX
	MOVQ	R9, BX
	MOVQ	R10, DI
	MOVQ	R11, SI
	CALL	internal∕runtime∕detrace∕detect·InLine<ABIInternal>(SB)
	CMPL	AX, $const_detdone
	JNE	slow
	RET
slow:
	SHLQ	$const_detpathshift, AX
	MOVQ	$(1<<63), CX
	ANDQ	72(SP), CX
	ORQ	CX, AX
	ORQ	64(SP), AX
	RET	runtime·detaccess<ABIInternal>(SB)

// What detrepeat leaves: detect.Repeat, or else detaccess.
TEXT	detrepeatslow<>(SB), NOSPLIT, $80-0
	MOVQ	AX, 64(SP)
	MOVQ	R10, 72(SP)
	MOVQ	AX, SI
	MOVQ	DI, AX
	MOVQ	DX, DI
	MOVQ	BX, CX
	MOVQ	R9, BX
	XCHGQ	R8, R10
	MOVQ	R11, R9
	CALL	internal∕runtime∕detrace∕detect·Repeat<ABIInternal>(SB)
	CMPL	AX, $const_detdone
	JNE	slow
	RET
slow:
	SHLQ	$const_detpathshift, AX
	MOVQ	$(1<<63), CX
	ANDQ	72(SP), CX
	ORQ	CX, AX
	ORQ	64(SP), AX
	RET	runtime·detaccess<ABIInternal>(SB)
