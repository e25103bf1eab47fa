// Package suite lists the programs of the papers' measurements, and a few more.
//
// Every program has three styles: plain sequential Go (package serial), package task
// (package tasks) and goroutines (package goroutines), or the last one only. They are built as one command
// for each style, so that there are few builds:
//
//	go run ./bench/suite/cmd/serial mm -n 256
//	detrace run ./bench/suite/cmd/tasks -- mm -size small
//	detrace run ./bench/suite/cmd/goroutines -- mm -racy
package suite

import (
	"github.com/detrace/detrace/bench/suite/bst"
	"github.com/detrace/detrace/bench/suite/dedup"
	"github.com/detrace/detrace/bench/suite/ferret"
	"github.com/detrace/detrace/bench/suite/fib"
	"github.com/detrace/detrace/bench/suite/gather"
	"github.com/detrace/detrace/bench/suite/health"
	"github.com/detrace/detrace/bench/suite/hw"
	"github.com/detrace/detrace/bench/suite/knapsack"
	"github.com/detrace/detrace/bench/suite/lcs"
	"github.com/detrace/detrace/bench/suite/matmul"
	"github.com/detrace/detrace/bench/suite/mm"
	"github.com/detrace/detrace/bench/suite/poisson"
	"github.com/detrace/detrace/bench/suite/program"
	"github.com/detrace/detrace/bench/suite/sharing"
	"github.com/detrace/detrace/bench/suite/sort"
	"github.com/detrace/detrace/bench/suite/sparselu"
	"github.com/detrace/detrace/bench/suite/strassen"
	"github.com/detrace/detrace/bench/suite/sw"
)

// Programs are all programs, those of one paper beside each other, those of goroutines only
// at the end.
var Programs = []program.Info{
	mm.Info,
	sort.Info,
	sw.Info,
	hw.Info,
	ferret.Info,
	lcs.Info,
	bst.Info,
	dedup.Info,
	matmul.Info,
	strassen.Info,
	sort.Promises,
	poisson.Info,
	sparselu.Info,
	knapsack.Info,
	health.Info,
	fib.Info,
	gather.Info,
	sharing.Messages,
	sharing.Mutex,
	sharing.Atomics,
}

// Named returns the program of that name.
func Named(name string) (program.Info, bool) {
	for _, p := range Programs {
		if p.Name == name {
			return p, true
		}
	}
	return program.Info{}, false
}
