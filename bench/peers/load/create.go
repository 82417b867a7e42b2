package main

import (
	"sync"
	"sync/atomic"
	"time"
)

// Created says how creating went.
type Created struct {
	Requests      int
	Seconds       float64
	P50, P99, Max float64 // milliseconds
	Cpu           float64 // seconds, of the generator itself
}

// create keeps so many requests in flight, for a while or until so many objects are made.
func create(c *clients, order Order) (Created, error) {
	client := c.of(order.Protocol)
	taken := make([][]time.Duration, order.Concurrency)
	var number atomic.Int64
	var failed atomic.Value
	var lanes sync.WaitGroup
	used := cpu()
	started := time.Now()
	end := started.Add(time.Duration(order.Seconds * float64(time.Second)))
	for lane := range order.Concurrency {
		lanes.Add(1)
		go func() {
			defer lanes.Done()
			for failed.Load() == nil {
				began := time.Now()
				each := int(number.Add(1))
				if order.Count > 0 && each > order.Count || order.Count == 0 && began.After(end) {
					return
				}
				if err := c.post(client, order.Path, order.Body, order.First+each); err != nil {
					failed.Store(err)
					return
				}
				taken[lane] = append(taken[lane], time.Since(began))
			}
		}()
	}
	lanes.Wait()
	seconds := time.Since(started).Seconds()
	if err, ok := failed.Load().(error); ok {
		return Created{}, err
	}
	all := sorted(taken...)
	return Created{len(all), seconds, at(all, 0.5), at(all, 0.99), at(all, 1), (cpu() - used).Seconds()}, nil
}
