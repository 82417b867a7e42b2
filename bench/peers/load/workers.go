package main

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// RequestReport is the result of many requests.
type RequestReport struct {
	Requests      int
	Seconds       float64
	P50, P99, Max float64 // milliseconds
	Cpu           float64 // seconds of CPU that the generator used
}

var errDone = errors.New("done")

// runWorkers calls send from as many goroutines as concurrency says, with the numbers 1, 2, ..., until it returns errDone.
// send returns the time from which its latency counts.
func runWorkers(concurrency int, send func(started time.Time, number int) (time.Time, error)) (RequestReport, error) {
	latencies := make([][]time.Duration, concurrency)
	var lastNumber atomic.Int64
	var failure atomic.Value
	var workers sync.WaitGroup
	cpuBefore := cpuTime()
	started := time.Now()
	for worker := range concurrency {
		workers.Add(1)
		go func() {
			defer workers.Done()
			for failure.Load() == nil {
				from, err := send(started, int(lastNumber.Add(1)))
				if err == errDone {
					return
				}
				if err != nil {
					failure.Store(err)
					return
				}
				latencies[worker] = append(latencies[worker], time.Since(from))
			}
		}()
	}
	workers.Wait()
	seconds := time.Since(started).Seconds()
	if err, ok := failure.Load().(error); ok {
		return RequestReport{}, err
	}
	all := sortDurations(latencies...)
	return RequestReport{
		Requests: len(all), Seconds: seconds,
		P50: percentile(all, 0.5), P99: percentile(all, 0.99), Max: percentile(all, 1),
		Cpu: (cpuTime() - cpuBefore).Seconds(),
	}, nil
}
