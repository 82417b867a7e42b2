package main

import (
	"slices"
	"time"
)

func sorted(parts ...[]time.Duration) []time.Duration {
	all := slices.Concat(parts...)
	slices.Sort(all)
	return all
}

// at is the duration, in milliseconds, that the given part of all stays within.
func at(sorted []time.Duration, part float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	index := min(int(part*float64(len(sorted))), len(sorted)-1)
	return float64(sorted[index].Microseconds()) / 1000
}
