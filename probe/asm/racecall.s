// replaces racecall<>

// Calls the detector: AX = operation, DI SI DX CX = its arguments. Runs
//	detcall(op, a0, a1, a2, a3, bp uintptr, gp *g)
// with gp and bp those of the caller, on the g0 stack and as g0, so that the
// detector is ordinary Go code which is never preempted and never grows a
// stack. Calls made on g0 or gsignal stay where they are. Preserves BX, which
// the callers above keep across the call, and BP and g; the rest is lost.
//
// Go code preserves no register, so what is to be restored lies on the new
// stack above the arguments: 56 SP, 64 g, 72 BP, 80 BX.
TEXT	racecall<>(SB), NOSPLIT|NOFRAME, $0-0
	MOVQ	SP, R12
	MOVQ	R14, R13
	MOVQ	g_m(R14), R11
	CMPQ	R14, m_gsignal(R11)
	JE	call
	MOVQ	m_g0(R11), R10
	CMPQ	R14, R10
	JE	call
	// As systemstack does, for tracebacks of this goroutine meanwhile (SIGQUIT).
	MOVQ	$runtime·systemstack_switch+8(SB), R9
	MOVQ	R9, (g_sched+gobuf_pc)(R14)
	MOVQ	SP, (g_sched+gobuf_sp)(R14)
	MOVQ	BP, (g_sched+gobuf_bp)(R14)
	// The signal handler takes g from TLS and knows that SP may be on the
	// stack of another g while the pc is in here.
	MOVQ	(g_sched+gobuf_sp)(R10), SP
	get_tls(R11)
	MOVQ	R10, g(R11)
	MOVQ	R10, R14
call:
	SUBQ	$96, SP
	ANDQ	$~15, SP
	MOVQ	AX, 0(SP)
	MOVQ	DI, 8(SP)
	MOVQ	SI, 16(SP)
	MOVQ	DX, 24(SP)
	MOVQ	CX, 32(SP)
	MOVQ	BP, 40(SP)
	MOVQ	R13, 48(SP)
	MOVQ	R12, 56(SP)
	MOVQ	R13, 64(SP)
	MOVQ	BP, 72(SP)
	MOVQ	BX, 80(SP)
	CALL	runtime·detcall(SB)
	MOVQ	80(SP), BX
	MOVQ	72(SP), BP
	MOVQ	64(SP), R14
	MOVQ	56(SP), R12
	get_tls(R11)
	MOVQ	R14, g(R11)
	MOVQ	R12, SP
	XORPS	X15, X15
	RET
