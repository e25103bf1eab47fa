package rsketch_test

import "testing"

// Where the paper can be read in a way that is wrong, the smallest program that shows
// it.

// Left of a fork a strand and another fork, both of whose sides set; right of it an
// await of what the right side sets. The slot that led to the first set must lead to
// the inner fork, or the strand is thought not to be before the await.
func TestSlotIsReplaced(t *testing.T) {
	r := newRun(t, 10, 30)
	p, q := r.run.NewPromise(), r.run.NewPromise()
	outer := r.spawn(root)
	a := r.now(outer)
	inner := r.spawn(outer)
	first := r.now(inner)
	r.set(inner, p)
	r.set(outer, q)
	r.await(root, q)
	r.want("the strand before the await", a, r.now(root), true)
	r.want("the other set before the await", first, r.now(root), false)
}

// A strand that begins with a get and ends with a spawn is an anchor and a fork. Both
// sides set: nothing comes between it and the second set.
func TestForkThatIsAnAnchor(t *testing.T) {
	r := newRun(t, 10, 30)
	p, q := r.run.NewPromise(), r.run.NewPromise()
	future := r.create(root)
	r.end(future)
	r.get(root, future)
	fork := r.now(root)
	child := r.spawn(root)
	first := r.now(child)
	r.set(child, p)
	r.set(root, q)
	waiter := r.create(root)
	r.want("a set before a future created after the other", first, r.now(waiter), false)
	r.await(waiter, p)
	r.want("the fork before the await", fork, r.now(waiter), true)
	r.want("the set before its await", first, r.now(waiter), true)
}

// Behind the join of a fork that is an anchor, with none inside, both slots lead to the
// next anchor.
func TestBothSlotsLeadBehindAJoin(t *testing.T) {
	r := newRun(t, 10, 30)
	p, q := r.run.NewPromise(), r.run.NewPromise()
	waiter := r.create(root)
	r.set(root, p)
	future := r.create(root)
	r.end(future)
	r.get(root, future)
	child := r.spawn(root)
	left, right := r.now(child), r.now(root)
	r.end(child)
	r.sync(root)
	r.set(root, q)
	r.await(waiter, p)
	r.want("the left side before an earlier set", left, r.now(waiter), false)
	r.await(waiter, q)
	r.want("the left side before the await", left, r.now(waiter), true)
	r.want("the right side before the await", right, r.now(waiter), true)
}
