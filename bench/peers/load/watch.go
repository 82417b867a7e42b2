package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// Watched says how a number of watchers and a steady stream of writes got on together.
type Watched struct {
	Writes  int
	Seconds float64 // from the first write to the last answer
	// Of the writes, from when they were due, in milliseconds.
	P50, P99, Max float64
	// From when a write was due until a watcher had its event, in milliseconds; of some watchers.
	LagP50, LagP99 float64
	Events         int
	// Watchers that did not see every write once, in the order of all the others and of resource versions.
	Wrong int
	// What was wrong with the first of them.
	Fault string
	// From the last answer until the last watcher had everything.
	Behind float64
	Cpu    float64
}

const patience = 30 * time.Second

// watch opens the watchers, then writes at a steady rate whether answers come or not, and checks what each of them saw.
func watch(c *clients, order Order) (Watched, error) {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	total := int(float64(order.Rate) * order.Seconds)
	due := make([]time.Time, total)
	watchers := make([]*watcher, order.Watchers)
	shared := make([]*http.Client, order.Connections)
	for i := range shared {
		shared[i] = c.fresh(order.Protocol)
		defer shared[i].CloseIdleConnections()
	}
	version, err := currentVersion(c, order.Path)
	if err != nil {
		return Watched{}, err
	}
	var watching sync.WaitGroup
	for i := range watchers {
		watchers[i] = &watcher{first: order.First, due: due, lag: i%50 == 0}
		body, err := watchers[i].open(ctx, c, shared[i%len(shared)], order.Path, version)
		if err != nil {
			return Watched{}, err
		}
		watching.Add(1)
		go func() {
			defer watching.Done()
			watchers[i].read(body, total)
		}()
	}

	client := c.of(order.Protocol)
	if err := c.post(client, order.Path, order.Body, order.First+total+1); err != nil {
		return Watched{}, err
	}
	taken := make([]time.Duration, total)
	var failed atomic.Value
	var writing sync.WaitGroup
	used := cpu()
	started := time.Now()
	for i := range total {
		due[i] = started.Add(time.Duration(i) * time.Second / time.Duration(order.Rate))
		time.Sleep(time.Until(due[i]))
		writing.Add(1)
		go func() {
			defer writing.Done()
			if err := c.post(client, order.Path, order.Body, order.First+i); err != nil {
				failed.Store(err)
			}
			taken[i] = time.Since(due[i])
		}()
	}
	writing.Wait()
	answered := time.Now()
	if err, ok := failed.Load().(error); ok {
		return Watched{}, err
	}
	time.AfterFunc(patience, stop)
	watching.Wait()
	all := sorted(taken)
	result := Watched{
		Writes: total, Seconds: answered.Sub(started).Seconds(),
		P50: at(all, 0.5), P99: at(all, 0.99), Max: at(all, 1),
		Behind: time.Since(answered).Seconds(), Cpu: (cpu() - used).Seconds(),
	}
	var lags [][]time.Duration
	for _, each := range watchers {
		result.Events += each.events
		lags = append(lags, each.lags)
		if each.fault == nil && each.events == total && each.hash == watchers[0].hash {
			continue
		}
		result.Wrong++
		if result.Fault == "" && each.fault != nil {
			result.Fault = fmt.Sprintf("saw %d of %d events: %v", each.events, total, each.fault)
		}
	}
	lag := sorted(lags...)
	result.LagP50, result.LagP99 = at(lag, 0.5), at(lag, 0.99)
	return result, nil
}

func currentVersion(c *clients, path string) (string, error) {
	response, err := c.get(c.of("h1"), path+"?limit=1", "application/json", false)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	page, err := io.ReadAll(response.Body)
	return string(field(page, versionField)), err
}
