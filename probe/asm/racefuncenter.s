// replaces runtime·racefuncenter racefuncenter<>

// Counts and notes the frame in the task's detect.Local, as its Enters does.
// Must leave DX alone, the closure of the function that is being entered.
// ABIInternal, so that the compiler's calls need no wrapper.
TEXT	runtime·racefuncenter<ABIInternal>(SB), NOSPLIT|NOFRAME, $0-8
	MOVQ	g_racectx(R14), R11
	SHLQ	$const_detlocalshift, R11
	ADDQ	runtime·detlocals(SB), R11
	MOVQ	(g_stack+stack_hi)(R14), R12
	MOVQ	8(R11), R13
	SUBL	BP, R12
	IMUL3L	$const_detentered_scale, R12, R12
	INCQ	R13
	SHRL	$const_detentered_shift, R12
	MOVQ	R13, 8(R11)
	MOVL	R13, const_detlocal_entered(R11)(R12*4)
	RET
