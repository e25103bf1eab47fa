// Package goroutines lists the programs of the suite in goroutines.
package goroutines

import (
	"github.com/detrace/detrace/bench/suite/bst"
	bstgo "github.com/detrace/detrace/bench/suite/bst/goroutines"
	"github.com/detrace/detrace/bench/suite/dedup"
	dedupgo "github.com/detrace/detrace/bench/suite/dedup/goroutines"
	"github.com/detrace/detrace/bench/suite/dense"
	"github.com/detrace/detrace/bench/suite/ferret"
	ferretgo "github.com/detrace/detrace/bench/suite/ferret/goroutines"
	"github.com/detrace/detrace/bench/suite/fib"
	fibgo "github.com/detrace/detrace/bench/suite/fib/goroutines"
	"github.com/detrace/detrace/bench/suite/gather"
	gathergo "github.com/detrace/detrace/bench/suite/gather/goroutines"
	"github.com/detrace/detrace/bench/suite/health"
	healthgo "github.com/detrace/detrace/bench/suite/health/goroutines"
	"github.com/detrace/detrace/bench/suite/hw"
	hwgo "github.com/detrace/detrace/bench/suite/hw/goroutines"
	"github.com/detrace/detrace/bench/suite/knapsack"
	knapsackgo "github.com/detrace/detrace/bench/suite/knapsack/goroutines"
	"github.com/detrace/detrace/bench/suite/lcs"
	"github.com/detrace/detrace/bench/suite/matmul"
	matmulgo "github.com/detrace/detrace/bench/suite/matmul/goroutines"
	"github.com/detrace/detrace/bench/suite/mm"
	mmgo "github.com/detrace/detrace/bench/suite/mm/goroutines"
	"github.com/detrace/detrace/bench/suite/poisson"
	poissongo "github.com/detrace/detrace/bench/suite/poisson/goroutines"
	"github.com/detrace/detrace/bench/suite/program"
	"github.com/detrace/detrace/bench/suite/sharing"
	"github.com/detrace/detrace/bench/suite/sort"
	sortgo "github.com/detrace/detrace/bench/suite/sort/goroutines"
	"github.com/detrace/detrace/bench/suite/sparselu"
	sparselugo "github.com/detrace/detrace/bench/suite/sparselu/goroutines"
	"github.com/detrace/detrace/bench/suite/strassen"
	strassengo "github.com/detrace/detrace/bench/suite/strassen/goroutines"
	"github.com/detrace/detrace/bench/suite/sw"
	wavefrontgo "github.com/detrace/detrace/bench/suite/wavefront/goroutines"
)

// Programs are all of them, in the order of package suite.
var Programs = []program.Program{
	program.Of(mm.Info, dense.NewProduct, mmgo.Run),
	program.Of(sort.Info, sort.New, sortgo.Run),
	program.Of(sw.Info, sw.New, wavefrontgo.Run[*sw.Problem]),
	program.Of(hw.Info, hw.New, hwgo.Run),
	program.Of(ferret.Info, ferret.New, ferretgo.Run),
	program.Of(lcs.Info, lcs.New, wavefrontgo.Run[*lcs.Problem]),
	program.Of(bst.Info, bst.New, bstgo.Run),
	program.Of(dedup.Info, dedup.New, dedupgo.Run),
	program.Of(matmul.Info, dense.NewProduct, matmulgo.Run),
	program.Of(strassen.Info, dense.NewProduct, strassengo.Run),
	program.Of(sort.Promises, sort.New, sortgo.Run),
	program.Of(poisson.Info, poisson.New, poissongo.Run),
	program.Of(sparselu.Info, sparselu.New, sparselugo.Run),
	program.Of(knapsack.Info, knapsack.New, knapsackgo.Run),
	program.Of(health.Info, health.New, healthgo.Run),
	program.Of(fib.Info, fib.New, fibgo.Run),
	program.Of(gather.Info, gather.New, gathergo.Run),
	program.Of(sharing.Messages, sharing.New, sharing.Pass),
	program.Of(sharing.Mutex, sharing.New, sharing.Lock),
	program.Of(sharing.Atomics, sharing.New, sharing.Count),
}
