// Package health simulates a health care system: a tree of villages, each with people
// and a hospital, which sends on to the hospital above it whom it cannot treat. N is
// the number of levels of the tree, Base how many villages are below one, Steps how
// many days are simulated.
//
// DRDP (ECOOP'23) measures the program of the BOTS suite with promises. 4 levels of 18
// villages and 365 days make 2253510 tasks there and here.
package health

import (
	"fmt"

	"github.com/detrace/detrace/bench/suite/program"
)

// Info describes the program.
var Info = program.Info{
	Name: "health", Kind: program.Irregular,
	Tiny:   program.Params{N: 3, Base: 3, Steps: 10},
	Small:  program.Params{N: 4, Base: 6, Steps: 20},
	Medium: program.Params{N: 4, Base: 8, Steps: 40},
	Paper:  program.Params{N: 4, Base: 18, Steps: 365},
}

// What happens in a hundred cases, and how many days it takes.
const (
	people    = 10 // of a village, times its level
	sick      = 5
	sentOn    = 30
	convalesc = 10
	assessing = 3
	treating  = 10
)

type patient struct {
	next *patient
	days int // left where the patient is
	// What happened so far, for the check.
	waited, hospitals int
}

// A list of patients, first in, first out.
type list struct {
	first, last *patient
	length      int
}

func (l *list) add(p *patient) {
	p.next = nil
	if l.first == nil {
		l.first = p
	} else {
		l.last.next = p
	}
	l.last = p
	l.length++
}

// take empties the list and returns what was in it.
func (l *list) take() *patient {
	p := l.first
	*l = list{}
	return p
}

// A Village is one with those below it.
type Village struct {
	Below []*Village
	level int
	staff int
	rand  program.Rand

	healthy, waiting, assessed, treated list
	sent                                list // to the hospital above
	everSick, everSent                  int  // fell sick here, came from a hospital below
}

// A Problem is the tree.
type Problem struct {
	program.Params
	Top    *Village
	people int
}

// New makes the villages and their people.
func New(params program.Params) (*Problem, error) {
	if err := program.Positive(params.N, params.Base, params.Steps); err != nil {
		return nil, err
	}
	p := &Problem{Params: params}
	seeds := program.Rand(params.Seed)
	p.Top = p.village(params.N, &seeds)
	return p, nil
}

func (p *Problem) village(level int, seeds *program.Rand) *Village {
	v := &Village{level: level, staff: 1 << level, rand: program.Rand(seeds.Next())}
	for range people * level {
		v.healthy.add(&patient{})
		p.people++
	}
	if level > 1 {
		for range p.Base {
			v.Below = append(v.Below, p.village(level-1, seeds))
		}
	}
	return v
}

// Day simulates one day of a village, after that of the villages below it.
func (v *Village) Day() {
	for _, below := range v.Below {
		for p := below.sent.take(); p != nil; {
			next := p.next
			v.everSent++
			v.arrive(p)
			p = next
		}
	}
	v.leave()
	v.assess()
	v.wait()
	v.fallSick()
}

func (v *Village) arrive(p *patient) {
	p.hospitals++
	if v.staff == 0 {
		v.waiting.add(p)
		return
	}
	v.staff--
	p.days = assessing
	v.assessed.add(p)
}

// leave lets those go home whose treatment is over.
func (v *Village) leave() {
	for p := v.treated.take(); p != nil; {
		next := p.next
		if p.days--; p.days > 0 {
			v.treated.add(p)
		} else {
			v.staff++
			v.healthy.add(p)
		}
		p = next
	}
}

// assess decides who is treated, sent on or well.
func (v *Village) assess() {
	for p := v.assessed.take(); p != nil; {
		next := p.next
		switch p.days--; {
		case p.days > 0:
			v.assessed.add(p)
		case v.rand.Below(100) < convalesc:
			v.staff++
			v.healthy.add(p)
		case v.rand.Below(100) >= sentOn:
			p.days = treating
			v.treated.add(p)
		default:
			v.staff++
			v.sent.add(p)
		}
		p = next
	}
}

func (v *Village) wait() {
	for p := v.waiting.take(); p != nil; {
		next := p.next
		if v.staff > 0 {
			v.staff--
			p.days = assessing
			v.assessed.add(p)
		} else {
			p.waited++
			v.waiting.add(p)
		}
		p = next
	}
}

func (v *Village) fallSick() {
	for p := v.healthy.take(); p != nil; {
		next := p.next
		if v.rand.Below(100) < sick {
			v.everSick++
			v.arrive(p)
		} else {
			v.healthy.add(p)
		}
		p = next
	}
}

// End is what remains to be done after a day of the whole tree: nobody is above the
// highest village, so it keeps whom it would send on.
func (p *Problem) End() {
	for one := p.Top.sent.take(); one != nil; {
		next := one.next
		p.Top.healthy.add(one)
		one = next
	}
}

// Serial simulates all days.
func Serial(p *Problem) {
	for range p.Steps {
		p.Top.simulate()
		p.End()
	}
}

func (v *Village) simulate() {
	for _, below := range v.Below {
		below.simulate()
	}
	v.Day()
}

// census is what a look at all lists finds.
type census struct{ people, hospitals, everSick, sent int }

// Check counts: nobody is lost or in two lists, every member of the staff is free or
// with a patient, and people were in as many hospitals as fell sick and were sent on.
func (p *Problem) Check() error {
	var c census
	seen := map[*patient]bool{}
	if err := c.count(p.Top, seen); err != nil {
		return err
	}
	if c.people != p.people {
		return fmt.Errorf("there are %d people, there were %d", c.people, p.people)
	}
	if c.hospitals != c.everSick+c.sent {
		return fmt.Errorf("%d fell sick and %d were sent on, but there were %d visits to a hospital", c.everSick, c.sent, c.hospitals)
	}
	return nil
}

func (c *census) count(v *Village, seen map[*patient]bool) error {
	for _, l := range []*list{&v.healthy, &v.waiting, &v.assessed, &v.treated, &v.sent} {
		n := 0
		for p := l.first; p != nil; p = p.next {
			if seen[p] {
				return fmt.Errorf("a patient is in two lists")
			}
			seen[p] = true
			n++
			c.hospitals += p.hospitals
		}
		if n != l.length {
			return fmt.Errorf("a list of %d has %d patients", l.length, n)
		}
		c.people += n
	}
	if busy := v.assessed.length + v.treated.length; v.staff < 0 || v.staff+busy != 1<<v.level {
		return fmt.Errorf("a staff of %d is free and %d are busy, of %d", v.staff, busy, 1<<v.level)
	}
	c.everSick += v.everSick
	c.sent += v.everSent
	for _, below := range v.Below {
		if err := c.count(below, seen); err != nil {
			return err
		}
	}
	return nil
}

// Result is a digest of what happened to whom.
func (p *Problem) Result() uint64 {
	var d program.Digest
	p.Top.digest(&d)
	return uint64(d)
}

func (v *Village) digest(d *program.Digest) {
	for _, l := range []*list{&v.healthy, &v.waiting, &v.assessed, &v.treated, &v.sent} {
		d.Add(uint64(l.length))
		for p := l.first; p != nil; p = p.next {
			d.Add(uint64(p.waited)<<32 | uint64(p.hospitals))
		}
	}
	for _, below := range v.Below {
		below.digest(d)
	}
}
