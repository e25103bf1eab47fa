package main

import "runtime"

func init() {
	line = func(up int) int {
		var pcs [1]uintptr
		runtime.Callers(1+up, pcs[:])
		frame, _ := runtime.CallersFrames(pcs[:]).Next()
		_, begin := frame.Func.FileLine(frame.Entry)
		return frame.Line - begin
	}
}
