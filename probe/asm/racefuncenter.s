// replaces runtime·racefuncenter racefuncenter<>

// Counts the frame in the task's detect.Local.
// Must leave DX alone, the closure of the function that is being entered.
// ABIInternal, so that the compiler's calls need no wrapper.
TEXT	runtime·racefuncenter<ABIInternal>(SB), NOSPLIT|NOFRAME, $0-8
	MOVQ	g_racectx(R14), R11
	SHLQ	$const_detlocalshift, R11
	ADDQ	runtime·detlocals(SB), R11
	INCQ	8(R11)
	RET
