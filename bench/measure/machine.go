package measure

import (
	"context"
	"os"
	"os/exec"
	"runtime"
	"strings"
)

// A Machine is where something was measured.
type Machine struct {
	Go        string `json:"go"`
	OS        string `json:"os"`
	Arch      string `json:"arch"`
	CPUs      int    `json:"cpus"`
	Processor string `json:"processor"`
	// Load is what [Load] said before measuring and LoadAfter what it said at the end,
	// if anybody asked then.
	Load      string `json:"load"`
	LoadAfter string `json:"load_after,omitempty"`
	// NoRace says why Go's race detector was not measured, empty if it was.
	NoRace string `json:"no_race,omitempty"`
}

// ThisMachine describes the machine and its load at this moment.
func ThisMachine(ctx context.Context) Machine {
	m := Machine{Go: "unknown Go version", OS: runtime.GOOS, Arch: runtime.GOARCH, CPUs: runtime.NumCPU(), Processor: processor()}
	if version, err := exec.CommandContext(ctx, "go", "env", "GOVERSION").Output(); err == nil {
		m.Go = strings.TrimSpace(string(version))
	}
	m.Load = Load()
	return m
}

// Load is the average number of processes that ran or wanted to in the last 1, 5 and 15
// minutes, empty where the system does not say.
func Load() string {
	load, err := os.ReadFile("/proc/loadavg")
	fields := strings.Fields(string(load))
	if err != nil || len(fields) < 3 {
		return ""
	}
	return strings.Join(fields[:3], " ")
}

// processor is the model that Linux names.
func processor() string {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return "unknown processor"
	}
	for line := range strings.Lines(string(info)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "unknown processor"
}
