package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/detrace/detrace/internal/record"
	"github.com/detrace/detrace/report"
)

var reportCommand = &command{
	name:    "report",
	summary: "render what a built program recorded",
	usage:   "[flags] records",
	about: `Report renders the records that a program built by 'detrace build' wrote to the
file in DETRACE_RECORDS, on standard output. Source lines and names of variables
are taken from the files that the program was built from, where they are still
at their place.

  -binary file           the program, for the names of global variables
` + formatHelp,
	run: runReport,
}

func runReport(c *command, args []string) (int, error) {
	fs := c.flags()
	var reporting reporting
	reporting.register(fs)
	binary := fs.String("binary", "", "")
	if err := c.parse(fs, args); err != nil {
		return exitError, err
	}
	switch {
	case fs.NArg() == 0:
		return exitError, errors.New("the records file is missing: detrace report " + c.usage)
	case fs.NArg() > 1:
		return exitError, errors.New("one records file at a time: detrace report " + c.usage)
	}
	if err := reporting.open(); err != nil {
		return exitError, err
	}
	file, err := record.ReadFile(fs.Arg(0))
	if err != nil {
		return exitError, err
	}
	if err := report.Unjudged(file); err != nil {
		return exitError, err
	}
	r := report.New(file, report.Options{Engine: engineName, Binary: *binary})
	if err := refused(file, r); err != nil {
		return exitError, fmt.Errorf("%w; without DETRACE_ENGINE it can be judged", err)
	}
	return reporting.finish(r, fs.Arg(0), os.Stdout)
}
