package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

var versionCommand = &command{
	name:    "version",
	summary: "print the version",
	about:   "Version prints the version of detrace and of the Go that built it.\n",
	run: func(_ *command, args []string) (int, error) {
		if len(args) > 0 {
			return exitError, fmt.Errorf("it takes no arguments")
		}
		fmt.Printf("detrace %s %s %s/%s\n", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
		return exitOK, nil
	},
}

// version is that of the module, as far as the build knows it.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "devel"
}
