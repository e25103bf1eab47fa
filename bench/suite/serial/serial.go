// Package serial lists the programs of the suite in plain sequential Go.
package serial

import (
	"github.com/detrace/detrace/bench/suite/bst"
	"github.com/detrace/detrace/bench/suite/dedup"
	"github.com/detrace/detrace/bench/suite/dense"
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
	"github.com/detrace/detrace/bench/suite/sort"
	"github.com/detrace/detrace/bench/suite/sparselu"
	"github.com/detrace/detrace/bench/suite/strassen"
	"github.com/detrace/detrace/bench/suite/sw"
	"github.com/detrace/detrace/bench/suite/wavefront"
)

// Programs are all of them, in the order of package suite.
var Programs = []program.Program{
	program.Of(mm.Info, dense.NewProduct, mm.Serial),
	program.Of(sort.Info, sort.New, sort.Serial),
	program.Of(sw.Info, sw.New, wavefront.Serial[*sw.Problem]),
	program.Of(hw.Info, hw.New, hw.Serial),
	program.Of(ferret.Info, ferret.New, ferret.Serial),
	program.Of(lcs.Info, lcs.New, wavefront.Serial[*lcs.Problem]),
	program.Of(bst.Info, bst.New, bst.Serial),
	program.Of(dedup.Info, dedup.New, dedup.Serial),
	program.Of(matmul.Info, dense.NewProduct, matmul.Serial),
	program.Of(strassen.Info, dense.NewProduct, strassen.Serial),
	program.Of(sort.Promises, sort.New, sort.Serial),
	program.Of(poisson.Info, poisson.New, poisson.Serial),
	program.Of(sparselu.Info, sparselu.New, sparselu.Serial),
	program.Of(knapsack.Info, knapsack.New, knapsack.Serial),
	program.Of(health.Info, health.New, health.Serial),
	program.Of(fib.Info, fib.New, fib.Serial),
	program.Of(gather.Info, gather.New, gather.Serial),
}
