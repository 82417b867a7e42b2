package main

import (
	"slices"
	"time"
)

func sortDurations(parts ...[]time.Duration) []time.Duration {
	all := slices.Concat(parts...)
	slices.Sort(all)
	return all
}

// percentile returns the quantile of sorted durations in milliseconds.
func percentile(sorted []time.Duration, quantile float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	index := min(int(quantile*float64(len(sorted))), len(sorted)-1)
	return float64(sorted[index].Microseconds()) / 1000
}
