package task

import (
	"fmt"
	"strings"
	"sync/atomic"
)

// A Line is a task's place in a line of tasks: two-dimensional fork-join. A task
// forks new tasks into the place immediately left of itself, and joins its
// immediate left neighbour, whoever forked that. So a task may join what its
// left neighbour left unjoined, and a new task what its creator has not joined
// yet.
//
// The zero Line is the place of the calling task, alone on a line. A Line
// belongs to its task, which alone may call its methods, and must not be copied
// after first use. The task alone on the line joins all others in the end.
type Line struct {
	end     latch
	left    atomic.Pointer[Line] // written by this task, then by who joins it
	failure *PanicError
	body    codePointer // of a forked task
	number  int         // of a forked task: counts the forks of its creator from 1
	forks   int
	ended   bool // the task, which alone may look
}

// Fork starts f as a task immediately left of the caller and returns its place,
// which f gets too. What the caller did before happens before f. It panics with a
// [*MisuseError] if the task of l has ended.
func (l *Line) Fork(f func(l *Line)) *Line {
	l.check("Fork")
	l.forks++
	c := &Line{body: codeOf(f), number: l.forks}
	if left := l.left.Load(); left != nil {
		c.left.Store(left)
	}
	l.left.Store(c)
	rt.start(fork, &c.end, func() {
		guard(func() { f(c) }, func(p *PanicError) {
			c.failure = p
			c.ended = true
			c.end.end(fork)
		})
	})
	return c
}

// Join waits for the end of left, the immediate left neighbour, which happens
// before what follows. left leaves the line; what it has not joined is now
// immediately left of the caller. If left panicked, Join panics with its
// [*PanicError]. If left is not the immediate left neighbour, Join panics with a
// [*MisuseError] that shows the line.
func (l *Line) Join(left *Line) {
	l.check("Join")
	if left == nil || l.left.Load() != left {
		panic(l.notNeighbour(left))
	}
	l.join(left).raise()
}

// JoinAll joins the whole line left of the caller. If several tasks panicked, it
// panics with the [*PanicError] of the rightmost.
func (l *Line) JoinAll() {
	l.check("JoinAll")
	var first *PanicError
	for left := l.Left(); left != nil; left = l.Left() {
		if failure := l.join(left); first == nil {
			first = failure
		}
	}
	first.raise()
}

// Left is the immediate left neighbour, nil if there is none. Only the task of l
// can change it, by Fork and Join.
func (l *Line) Left() *Line { return l.left.Load() }

func (l *Line) join(left *Line) *PanicError {
	left.end.wait(fork)
	next := left.left.Load()
	l.left.Store(next)
	if next != nil {
		// Who keeps left must not keep the line.
		left.left.Store(nil)
	}
	return left.failure
}

func (l *Line) check(operation string) {
	if l.ended {
		panic(misuse(operation, "the task of this Line has ended, whose function is at", l.body.place()))
	}
}

// notNeighbour shows the line left of l. Its tasks may be running: what they
// fork and join meanwhile may show.
func (l *Line) notNeighbour(left *Line) error {
	var line strings.Builder
	for t := l.Left(); t != nil; t = t.Left() {
		fmt.Fprintf(&line, "%s ", t)
	}
	if line.Len() == 0 {
		line.WriteString("nobody")
	}
	m := misuse(fmt.Sprint("Join of ", left),
		"it is not the immediate left neighbour; from there leftwards stand "+strings.TrimSpace(line.String()), "")
	if left != nil && left.body != 0 {
		m.Other = left.body.place()
	}
	return m
}

// String names the task by the place of its function and the number of the fork,
// from 1, among those of its creator.
func (l *Line) String() string {
	switch {
	case l == nil:
		return "[nobody]"
	case l.body == 0:
		return "[the first task of a line]"
	}
	return fmt.Sprintf("[fork %d, %s]", l.number, l.body.place())
}
