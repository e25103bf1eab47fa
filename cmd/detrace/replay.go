package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/detrace/detrace/detect/structured"
	"github.com/detrace/detrace/event"
	"github.com/detrace/detrace/race"
)

var replayCommand = &command{
	name:    "replay",
	summary: "judge a recorded or hand-written event trace",
	usage:   "[flags] trace",
	about: `Replay reads a trace of a structured program, in text or binary form, and reports
which accesses race: in some order of events that the program's constructs allow,
not only in that of the trace. A trace named - is standard input. What is printed
is a line for each pair and the verdict:

  race: LINE1 KIND || LINE2 KIND at ADDR

KIND is read, write, atomicread or atomicwrite, LINE2 the later line, and ADDR the
first byte of those that both touch. Every racing byte has a pair; not every racing pair is reported.

  -engine name           how to find out which event precedes which (default auto):
                         spbags, lattice, multibags, multibagsplus   depth-first traces
                         drdp                                        serial traces with task switching
                         order, sforder, rsketch, forder, jointree, vclock   any order
                         auto     begin with the cheapest engine and exchange it when it
                                  does not take the trace
                         oracle   all pairs, exactly; small traces only
                         all      every engine that takes the trace, compared in a table
  -format text|json      the form of the report

A trace begins with the line 'detrace trace 1'. Then come one event a line, in an
order in which they happened, and comments from # to the end of the line. The root
task is 0; numbers are decimal, addresses hexadecimal with 0x, sizes bytes.

  spawn T C     sync T           start a child; join all children since the last sync
  finish T      endfinish T      open a finish; join all tasks started by async inside
  async T C                      start a task of the innermost open finish
  create T F    get T F          start a future; join it
  promise T p   set T p          make a promise; set it
  await T p     block T p        go on after the set; stop where there is none yet
  fork T C      join T C         start a task left of T on its line; join the left neighbour
  end T                          the task is over
  read T ADDR SIZE [SITE]        write T ADDR SIZE [SITE]
  atomicread T ADDR SIZE [SITE]  atomicwrite T ADDR SIZE [SITE]
                                 atomic operations, which never race with each other
  alloc T ADDR SIZE              the memory is new

Exit codes: 0 determinate, 3 race, 1 the trace is refused or engines disagree.
`,
	run: runReplay,
}

const engineAll = "all"

func runReplay(c *command, args []string) (int, error) {
	fs := c.flags()
	engine := fs.String("engine", structured.Auto, "")
	format := fs.String("format", "text", "")
	if err := c.parse(fs, args); err != nil {
		return exitError, err
	}
	switch {
	case *format != "text" && *format != "json":
		return exitError, fmt.Errorf("there is no format %q; there are text and json", *format)
	case fs.NArg() == 0:
		return exitError, errors.New("the trace is missing: detrace replay " + c.usage)
	case fs.NArg() > 1:
		return exitError, fmt.Errorf("%q is a second trace; one at a time, behind the flags: detrace replay %s", fs.Arg(1), c.usage)
	}
	t, err := openTrace(fs.Arg(0))
	if err != nil {
		return exitError, err
	}
	defer t.Close()
	if *engine == engineAll {
		return replayAll(t, *format)
	}
	r, err := t.judge(*engine)
	if err != nil {
		return exitError, err
	}
	for _, s := range r.steps {
		fmt.Fprintf(os.Stderr, "detrace replay: engine %s from line %d on, because %s\n", s.To, s.Line, s.Why)
	}
	out := bufio.NewWriter(os.Stdout)
	if *format == "json" {
		err = r.writeJSON(out)
	} else {
		r.writeText(out)
	}
	if err == nil {
		err = out.Flush()
	}
	return r.exitCode(), err
}

// trace is the file that is judged.
type trace struct {
	*os.File
	name string // for errors
	size int64  // bytes, 0 if unknown
	temp string // a copy of standard input, to be removed
}

func openTrace(name string) (*trace, error) {
	if name == "-" {
		return &trace{File: os.Stdin, name: "standard input"}, nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	t := &trace{File: f, name: name}
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
		t.size = info.Size()
	}
	return t, nil
}

// Close removes what was made.
func (t *trace) Close() {
	t.File.Close()
	if t.temp != "" {
		os.Remove(t.temp)
	}
}

// rewind makes a trace readable from its beginning, again and again.
func (t *trace) rewind() error {
	if t.size == 0 {
		f, err := os.CreateTemp("", "detrace-trace-*")
		if err != nil {
			return err
		}
		t.temp = f.Name()
		if t.size, err = io.Copy(f, t.File); err != nil {
			return fmt.Errorf("%s: %w", t.name, err)
		}
		t.File.Close()
		t.File = f
	}
	_, err := t.Seek(0, io.SeekStart)
	return err
}

// replayed is what an engine says of a trace.
type replayed struct {
	races []structured.Race
	racy  *structured.Bytes
	stats structured.Stats
	steps []structured.Escalation
}

// judge reads the trace from where it stands.
func (t *trace) judge(engine string) (*replayed, error) {
	r := new(replayed)
	config := structured.Config{Engine: engine, Race: func(race structured.Race) { r.races = append(r.races, race) }}
	if t.size > 0 { // an event has at least two bytes, and begins two strands or joins one task
		config.Tasks = uint32(min(t.size/2+2, 1<<26))
		config.Strands = uint32(min(2*t.size+4, 1<<28))
	}
	j, err := structured.New(config)
	if err != nil {
		return nil, err
	}
	defer j.Close()
	in, err := event.NewReader(t.name, t.File)
	if err != nil {
		return nil, err
	}
	for {
		e, err := in.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = j.Do(e)
		}
		if err != nil {
			return nil, t.explain(err)
		}
	}
	if err := j.End(); err != nil {
		return nil, t.explain(err)
	}
	r.racy, r.stats, r.steps = j.Racy(), j.Stats(), j.Escalations()
	return r, nil
}

// explain puts the place before an error about an event.
func (t *trace) explain(err error) error {
	var wrong *event.Error
	if !errors.As(err, &wrong) {
		return err
	}
	text := fmt.Sprintf("%s:%d: %s", t.name, wrong.Event.Line, wrong.Text())
	if wrong.Event.Line == 0 { // the trace is over
		text = fmt.Sprintf("%s: task %d has not ended at the end of the trace; where it does, there must be: end %d",
			t.name, wrong.Event.Task, wrong.Event.Task)
	}
	return &refusedTrace{text, err}
}

// refusedTrace is a trace that cannot have happened, or that an engine does not take.
type refusedTrace struct {
	text  string
	cause error
}

func (r *refusedTrace) Error() string { return r.text }
func (r *refusedTrace) Unwrap() error { return r.cause }

func (r *replayed) verdict() race.Verdict {
	if len(r.races) > 0 {
		return race.Racy
	}
	return race.Determinate
}

func (r *replayed) exitCode() int {
	if len(r.races) > 0 {
		return exitRace
	}
	return exitOK
}

func (r *replayed) writeText(w io.Writer) {
	for _, x := range r.races {
		fmt.Fprintf(w, "race: %d %s || %d %s at %#x\n", x.First.Line, x.First.Op, x.Second.Line, x.Second.Op, x.Addr)
	}
	fmt.Fprintf(w, "verdict: %s\n", r.verdict())
}

// The JSON form of a replayed trace. It has the version of the report's and its verdict, races
// and stats, where a place is a line of the trace.
type (
	replayReport struct {
		Version     int                `json:"version"`
		Verdict     race.Verdict       `json:"verdict"`
		Races       []replayRace       `json:"races"`
		Escalations []replayEscalation `json:"escalations,omitempty"`
		Stats       replayStats        `json:"stats"`
	}
	replayRace struct {
		Kind   race.Kind    `json:"kind"`
		First  replayAccess `json:"first"`
		Second replayAccess `json:"second"`
		Addr   string       `json:"addr"`
		Size   uint64       `json:"size"` // racing bytes from addr on
	}
	replayAccess struct {
		Line int    `json:"line"`
		Op   string `json:"op"`
		Task uint32 `json:"task"`
		Site string `json:"site,omitempty"`
	}
	replayEscalation struct {
		From string `json:"from"`
		To   string `json:"to"`
		Line int    `json:"line"`
		Why  string `json:"why"`
	}
	replayStats struct {
		Engine    string `json:"engine"` // that ended the run
		Tasks     uint32 `json:"tasks"`
		Strands   uint32 `json:"strands"`
		Reads     uint64 `json:"reads"`
		Writes    uint64 `json:"writes"`
		RacyBytes uint64 `json:"racy_bytes"`
		// Memory in use at the end, 0 if the engine does not say.
		EngineBytes  uint64 `json:"engine_bytes"`
		HistoryBytes uint64 `json:"history_bytes"`
	}
)

func (r *replayed) writeJSON(w io.Writer) error {
	out := replayReport{
		Version: race.Version, Verdict: r.verdict(), Races: make([]replayRace, 0, len(r.races)),
		Stats: replayStats{
			Engine: r.stats.Engine, Tasks: r.stats.Tasks, Strands: r.stats.Strands,
			Reads: r.stats.Reads, Writes: r.stats.Writes, RacyBytes: r.racy.Len(),
			EngineBytes: r.stats.EngineBytes, HistoryBytes: r.stats.HistoryBytes,
		},
	}
	for _, x := range r.races {
		out.Races = append(out.Races, replayRace{
			Kind: race.Kind(plain(x.First.Op) + "-" + plain(x.Second.Op)), First: accessJSON(x.First), Second: accessJSON(x.Second),
			Addr: fmt.Sprintf("%#x", x.Addr), Size: x.Size,
		})
	}
	for _, s := range r.steps {
		out.Escalations = append(out.Escalations, replayEscalation(s))
	}
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(out)
}

// plain is what an access does to memory.
func plain(op event.Kind) string {
	if op.Writes() {
		return event.Write.String()
	}
	return event.Read.String()
}

func accessJSON(a structured.Access) replayAccess {
	return replayAccess{Line: a.Line, Op: a.Op.String(), Task: a.Task, Site: a.Site}
}
