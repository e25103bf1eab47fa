package multibagsplus

// InitCramped is Init with room for only so many blocks of rows.
func (e *Engine) InitCramped(maxTasks, maxStrands, blocks uint32) {
	e.init(maxTasks, maxStrands, blocks)
}

// Attached is the number of attached sets.
func (e *Engine) Attached() uint32 { return e.r.count }
