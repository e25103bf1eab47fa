package instrument

const (
	testingGo   = "testing/testing.go"
	benchmarkGo = "testing/benchmark.go"
	fuzzGo      = "testing/fuzz.go"
	matchGo     = "testing/match.go"
	exampleGo   = "testing/run_example.go"
	sleepGo     = "time/sleep.go"
)

// testingEdits are the changes made to packages testing and time, whose new files are
// in probe/testing and probe/time: tests tell who they are, and are in no order but that of t.Run,
// t.Parallel and the end of subtests. No line moves.
var testingEdits = []edit{
	literal(testingGo, `	runner         string         // Function name of tRunner running the test.
`, `	runner string; detrace uint32 // Function name of tRunner running the test.
`, 1),
	literal(testingGo, `	t.start = highPrecisionTimeNow()
	t.resetRaces()
	fn(t)
`, `	t.start = highPrecisionTimeNow()
	t.resetRaces(); t.detraceBegin()
	fn(t)
`, 1),
	literal(testingGo, `		t.report() // Report after all subtests have finished.
`, `		t.detraceEnd(); t.report() // Report after all subtests have finished.
`, 1),
	literal(testingGo, `	go tRunner(t, f)

`, `	go tRunner(t, f)
	detraceIdles()
`, 1),
	literal(testingGo, `	if !<-t.signal {
`, `	if !detraceActs(<-t.signal) {
`, 1),
	literal(fuzzGo, `	f.resetRaces()
	fn(f)
`, `	f.resetRaces(); f.detraceBegin()
	fn(f)
`, 1),
	literal(fuzzGo, `		f.report()
		f.done = true
`, `		f.detraceEnd(); f.report()
		f.done = true
`, 1),
	literal(benchmarkGo, `	b.resetRaces()
	b.N = n
`, `	b.resetRaces(); b.detraceBegin()
	b.N = n
`, 1),
	literal(benchmarkGo, `		b.runCleanup(normalPanic)
		b.checkRaces()
`, `		b.runCleanup(normalPanic)
		b.checkRaces(); b.detraceEnd()
`, 1),
	literal(exampleGo, `	finished := false
	start := time.Now()
`, `	finished, before, scope := false, detraceInScope(0), detraceScope(eg.Name)
	start := time.Now()
`, 1),
	literal(exampleGo, `		ok = eg.processRunResult(out, timeSpent, finished, err)
`, `		ok = eg.processRunResult(out, timeSpent, finished, err); detraceExample(scope, before, ok, timeSpent)
`, 1),

	literal(testingGo, `	running sync.Map //`, `	running detraceMap //`, 1),
	literal(testingGo, `	parallelStart atomic.Int64 //`, `	parallelStart detraceCounter //`, 1),
	literal(testingGo, `	parallelStop  atomic.Int64 //`, `	parallelStop  detraceCounter //`, 1),
	literal(testingGo, `	numFailed atomic.Uint32 //`, `	numFailed detraceCounter //`, 1),
	literal(testingGo, `		c.parent.Fail()
`, `		detraceQuietly(c.parent.Fail)
`, 1),
	literal(benchmarkGo, `pb.globalN.Add(pb.grain)`, `detraceShare(pb)`, 1),
	literal(sleepGo, `newTimer(when(d), 0, goFunc, f, nil)`, `newTimer(when(d), 0, goFunc, detraceSet(f), nil)`, 1),
	quiet(testingGo, `func (s *testState) waitParallel() {`),
	quiet(testingGo, `func (s *testState) release() {`),
	quiet(testingGo, `func (p *chattyPrinter) Updatef(testName, format string, args ...any) {`),
	quiet(testingGo, `func (p *chattyPrinter) Printf(testName, format string, args ...any) {`),
	quiet(testingGo, `func (c *common) flushToParent(testName, format string, args ...any) {`),
	quiet(testingGo, `func (c *common) TempDir() string {`),
	quiet(testingGo, `func (c *common) callSite(skip int) string {`),
	quiet(testingGo, `func (c *common) frameSkip(skip int) runtime.Frame {`),
	quiet(testingGo, `func (c *common) flushPartial() {`),
	quiet(testingGo, `func (c *common) setRan() {`),
	quiet(testingGo, `func (c *common) checkRaces() (raceErrors int64) {`),
	quiet(testingGo, `func (c *common) resetRaces() {`),
	quiet(testingGo, `func (t *T) report() {`),
	quiet(matchGo, `func (m *matcher) fullName(c *common, subname string) (name string, ok, partial bool) {`),
}

// quiet is the edit that lets nothing be seen of a function.
func quiet(file, header string) edit {
	return literal(file, header+"\n", header+" defer detraceTask(detraceTask(0))\n", 1)
}
