//go:build race

package task

import "runtime"

// hideSync and showSync bracket synchronisation that is no order of the program:
// race detectors, all of which set this build tag, make no edges of it.
func hideSync() { runtime.RaceDisable() }
func showSync() { runtime.RaceEnable() }
