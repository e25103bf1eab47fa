// replaces runtime·racewrite

// As raceread; the top bit, which no address has, says that it is a write.
TEXT	runtime·racewrite<ABIInternal>(SB), NOSPLIT|NOFRAME, $0-8
	ENDIFKNOWN(1)
	MOVQ	0(SP), R10
	BTSQ	$63, R10
	MOVQ	BP, R11
	JMP	detrepeat<>(SB)
shared:
	MOVQ	0(SP), R10
	BTSQ	$63, R10
	MOVQ	BP, R11
	JMP	detinline<>(SB)
elsewhere:
	BTSQ	$63, AX
	JMP	runtime·detaccess<ABIInternal>(SB)
