package tp3

// Verdict is what is certain about all schedules of a program.
type Verdict string

const (
	// Determinate: no schedule races, and all end with one final memory and
	// one graph, be it in a deadlock.
	Determinate Verdict = "determinate"
	// Racy: there is at least one race.
	Racy Verdict = "race"
	// NotCertified: no race was found, but a program error or a bound hid
	// what else there is.
	NotCertified Verdict = "not-certified"
)

// Verdict judges all schedules by this run, and says why. Without a race, the
// paper's Theorem 11 lets one run speak for all. A program error is no end of
// a run, so that the theorem has nothing to say.
func (o *Outcome) Verdict() (v Verdict, why string) {
	switch {
	case len(o.Races) > 0:
		return Racy, "the result can depend on the schedule"
	case o.Failure != nil:
		return NotCertified, "a program error stopped the run"
	case o.Cut:
		return NotCertified, "the run did not end within its budget of steps, and nothing is known of the rest"
	case len(o.Blocked) > 0:
		return Determinate, "no schedule races, and all end in this deadlock"
	}
	return Determinate, "no schedule races, and all end with this memory"
}

// Verdict judges the program by the schedules explored, and says why.
func (x *Exploration) Verdict() (v Verdict, why string) {
	switch {
	case len(x.Races) > 0:
		return Racy, "the result can depend on the schedule"
	case len(x.Failures) > 0:
		return NotCertified, "there is a program error"
	case !x.Complete:
		return NotCertified, "not all schedules were explored: " + x.Missing
	case len(x.Deadlocks) > 0:
		return Determinate, "no schedule races, and all end in one deadlock"
	}
	return Determinate, "no schedule races, and all end with one memory"
}
