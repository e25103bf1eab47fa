// Package tp3 is the featherweight language of task-parallel programs with
// promises: it parses a program, runs it by the small-step rules under one
// schedule or under all, and says what all schedules come to. It is an oracle
// that is independent of every engine: it knows the language, not an algorithm.
//
// Language, rules and computation graph are those of the DRDP paper (Jin et
// al., ECOOP 2023), section 2:
//
//	x = alloc     x = new_promise   x = load y   store e to y   x.set   x.get
//	async { … }   while (0 != load y) { … }      x = e          return
//
// e is an integer, a name or a sum of such. A newline or ; ends a statement, a
// closing brace too; # starts a comment. Where the paper leaves room:
//
//   - Each block is a scope, a while body a new one at each turn. A name is
//     assigned once in a block and may hide one further out. A name without a
//     value is thus an error of [Parse], not of a run.
//   - return ends the task, also inside a while. It is the last statement of
//     its block and may be left out at the end of the program and of an async;
//     a while body without it goes on with the next turn.
//   - Integers have 64 bits; overflow is a program error.
//   - A second set of a promise, an operation on a value of the wrong kind and
//     an overflow are program errors: no rule applies to the task any more. In
//     an exploration the others go on: their steps could all have come before.
//
// # Graphs and races
//
// A node of the computation graph is a task's state, its next statement and
// its locals, or a promise, unfulfilled or fulfilled. The locals count: a load
// that finds another value makes another graph. Tasks, locations and promises
// are named by who created them and in which place, so that equal names mean
// the same in all schedules. Two accesses race if no path orders their nodes;
// the graph has no edges for the order in which memory was used.
//
// # All schedules
//
// [Program.Explore] runs one schedule of each class of schedules that differ
// only in the order of neighbouring independent steps (a Mazurkiewicz trace).
// Steps of two tasks depend on each other if both access one location and one
// stores, if both set one promise, or if one makes the other possible (async,
// set before get). Names do not depend on the schedule, so swapping
// independent neighbours leaves every task's steps, their labels and the final
// configuration as they are. Hence all schedules of a class have the same final
// memory, the same graph, the same blocked tasks, the same program errors and,
// the races being read off the graph, the same races; nothing is lost with the
// ones that are not run. Nothing is ever disabled by a step of another task,
// and a run that is a prefix of another has a part of its graph, so that ends
// suffice.
//
// The classes are found by source sets with sleep sets (Abdulla, Aronis,
// Jonsson, Sagonas, POPL 2014, algorithm 1): where a step conflicts with an
// earlier one and nothing orders the two, a task that leads to the other order
// is tried before the earlier one; a task that was tried sleeps until a
// dependent step. Departures: the task to go first is the one with the fewest
// steps, so that spinning does not starve the rest; gets are never reversed
// with their set. States are not cached: with the graph they hardly ever meet
// again. The number of all schedules is then counted, not enumerated: the
// linear extensions of each class.
//
// A loop need not end, so both runs and explorations are bounded; see
// [Limits]. An exploration that met a bound says so and certifies nothing.
//
// The tests compare all of this with a twin that enumerates every interleaving
// and reads the paper's definitions off to the letter, and check the paper's
// theorem on random programs: free of races means one final memory and one
// graph, deadlock included.
package tp3
