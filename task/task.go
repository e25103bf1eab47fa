// Package task offers the constructs of task parallelism whose order does not
// depend on the schedule, so that detrace can decide by one run whether any
// schedule races.
//
// A task is a function call that may run in parallel with its creator. Without
// detrace a task is a goroutine, and every construct costs what the same program
// costs with sync.WaitGroup and channels.
//
//	construct                who may call              order it makes
//	Group.Spawn              the group's owner         before the call → the task
//	Group.Sync               the group's owner         ends of all tasks spawned so far → after the call
//	Scope.Async              any task of the finish    before the call → the task
//	Finish                   anybody                   ends of all tasks of the scope → after the call
//	Create                   anybody                   before the call → the task
//	Future.Get               any task, many times      end of the task → after the call
//	Promise.Set              any task, once            before the call → after every Get
//	Promise.Get              any task, many times      (the other side of Set)
//	Line.Fork                the task of the Line      before the call → the new task, left of its creator
//	Line.Join                the task of the Line      end of the left neighbour → after the call
//	Pipeline.Run             anybody                   item i stage s → item i+1 stage s, item i stage s+1
//
// Nothing else orders anything: not the end of a function, not the length of a
// queue, not the number of processors. A task that nobody joins is parallel to
// all that follows its creation.
//
// # Classes
//
// Which guarantee detrace gives at which cost depends on the constructs used.
// Groups that are synced by the task that spawned, before it ends and the last
// opened first, and finishes whose tasks call Async on the innermost scope, make
// series-parallel programs. A Future that is got once, by a task that its
// creation happens before, is structured; other gets make general futures. A
// Promise makes a promise program. A Line makes a two-dimensional lattice, and a
// Pipeline is a grid, which is one. An Async on an outer scope while an inner
// finish is open in the same task counts as a future that is got where the outer
// finish ends.
//
// # Panics
//
// A panic in a task ends that task only. It reaches the join (Sync, the end of
// the Finish, Get, Join, Run) as a [*PanicError] with the stack of the task, and
// panics there. So does [runtime.Goexit]: the join exits its goroutine. Until
// the join is reached nothing is heard of the panic: a task that panics before it
// has set a promise leaves those blocked who wait for the promise.
//
// Using a construct against its rules panics with a [*MisuseError], which names
// both places.
//
// # Contexts
//
// SyncContext, GetContext and Run with a context that can be cancelled let the
// clock or another task decide what happens next. detrace does not certify a
// program that waits in one of them.
package task

// rt is what carries the constructs out; all of them go through it.
var rt executor
