// Package tasks lists the programs of the suite in package task.
package tasks

import (
	"github.com/detrace/detrace/bench/suite/bst"
	bsttasks "github.com/detrace/detrace/bench/suite/bst/tasks"
	"github.com/detrace/detrace/bench/suite/dedup"
	deduptasks "github.com/detrace/detrace/bench/suite/dedup/tasks"
	"github.com/detrace/detrace/bench/suite/dense"
	"github.com/detrace/detrace/bench/suite/ferret"
	ferrettasks "github.com/detrace/detrace/bench/suite/ferret/tasks"
	"github.com/detrace/detrace/bench/suite/fib"
	fibtasks "github.com/detrace/detrace/bench/suite/fib/tasks"
	"github.com/detrace/detrace/bench/suite/gather"
	gathertasks "github.com/detrace/detrace/bench/suite/gather/tasks"
	"github.com/detrace/detrace/bench/suite/health"
	healthtasks "github.com/detrace/detrace/bench/suite/health/tasks"
	"github.com/detrace/detrace/bench/suite/hw"
	hwtasks "github.com/detrace/detrace/bench/suite/hw/tasks"
	"github.com/detrace/detrace/bench/suite/knapsack"
	knapsacktasks "github.com/detrace/detrace/bench/suite/knapsack/tasks"
	"github.com/detrace/detrace/bench/suite/lcs"
	"github.com/detrace/detrace/bench/suite/matmul"
	matmultasks "github.com/detrace/detrace/bench/suite/matmul/tasks"
	"github.com/detrace/detrace/bench/suite/mm"
	mmtasks "github.com/detrace/detrace/bench/suite/mm/tasks"
	"github.com/detrace/detrace/bench/suite/poisson"
	poissontasks "github.com/detrace/detrace/bench/suite/poisson/tasks"
	"github.com/detrace/detrace/bench/suite/program"
	"github.com/detrace/detrace/bench/suite/sort"
	"github.com/detrace/detrace/bench/suite/sort/promises"
	sorttasks "github.com/detrace/detrace/bench/suite/sort/tasks"
	"github.com/detrace/detrace/bench/suite/sparselu"
	sparselutasks "github.com/detrace/detrace/bench/suite/sparselu/tasks"
	"github.com/detrace/detrace/bench/suite/strassen"
	strassentasks "github.com/detrace/detrace/bench/suite/strassen/tasks"
	"github.com/detrace/detrace/bench/suite/sw"
	wavefronttasks "github.com/detrace/detrace/bench/suite/wavefront/tasks"
)

// Programs are all of them, in the order of package suite.
var Programs = []program.Program{
	program.Of(mm.Info, dense.NewProduct, mmtasks.Run),
	program.Of(sort.Info, sort.New, sorttasks.Run),
	program.Of(sw.Info, sw.New, wavefronttasks.Run[*sw.Problem]),
	program.Of(hw.Info, hw.New, hwtasks.Run),
	program.Of(ferret.Info, ferret.New, ferrettasks.Run),
	program.Of(lcs.Info, lcs.New, wavefronttasks.Run[*lcs.Problem]),
	program.Of(bst.Info, bst.New, bsttasks.Run),
	program.Of(dedup.Info, dedup.New, deduptasks.Run),
	program.Of(matmul.Info, dense.NewProduct, matmultasks.Run),
	program.Of(strassen.Info, dense.NewProduct, strassentasks.Run),
	program.Of(sort.Promises, sort.New, promises.Run),
	program.Of(poisson.Info, poisson.New, poissontasks.Run),
	program.Of(sparselu.Info, sparselu.New, sparselutasks.Run),
	program.Of(knapsack.Info, knapsack.New, knapsacktasks.Run),
	program.Of(health.Info, health.New, healthtasks.Run),
	program.Of(fib.Info, fib.New, fibtasks.Run),
	program.Of(gather.Info, gather.New, gathertasks.Run),
}
