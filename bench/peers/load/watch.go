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

// WatchReport is the result of writes at a steady rate with many watchers.
type WatchReport struct {
	Writes  int
	Seconds float64 // from the first write to the last response
	// Latencies of the writes from the time they were due, in milliseconds.
	P50, P99, Max float64
	// From the time a write was due until a watcher had its event, in milliseconds; sampled from one watcher of fifty.
	LagP50, LagP99 float64
	Events         int
	// Watchers that did not receive every event once, in the order of resource versions and of the other watchers.
	Incorrect int
	// The error of the first of them.
	FirstError string
	// Seconds from the last response until the last watcher had every event.
	DrainSeconds float64
	Cpu          float64
}

// drainTimeout limits how long the watchers may lag behind the last write.
const drainTimeout = 30 * time.Second

// watch opens the watchers, writes at a steady rate independently of the responses, and checks the events of each watcher.
func watch(c *clients, job Job) (WatchReport, error) {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	total := int(float64(job.Rate) * job.Seconds)
	due := make([]time.Time, total)
	watchers := make([]*watcher, job.Watchers)
	shared := make([]*http.Client, job.Connections)
	for i := range shared {
		shared[i] = c.create(job.Protocol)
		defer shared[i].CloseIdleConnections()
	}
	version, err := currentVersion(c, job.Path)
	if err != nil {
		return WatchReport{}, err
	}
	var watching sync.WaitGroup
	for i := range watchers {
		watchers[i] = &watcher{first: job.First, due: due, measuresLag: i%50 == 0}
		body, err := watchers[i].open(ctx, c, shared[i%len(shared)], job.Path, version)
		if err != nil {
			return WatchReport{}, err
		}
		watching.Add(1)
		go func() {
			defer watching.Done()
			watchers[i].read(body, total)
		}()
	}

	client := c.shared(job.Protocol)
	if err := c.post(client, job.Path, job.Body, job.First+total+1); err != nil {
		return WatchReport{}, err
	}
	latencies := make([]time.Duration, total)
	var failure atomic.Value
	var writing sync.WaitGroup
	cpuBefore := cpuTime()
	started := time.Now()
	for i := range total {
		due[i] = started.Add(time.Duration(i) * time.Second / time.Duration(job.Rate))
		time.Sleep(time.Until(due[i]))
		writing.Add(1)
		go func() {
			defer writing.Done()
			if err := c.post(client, job.Path, job.Body, job.First+i); err != nil {
				failure.Store(err)
			}
			latencies[i] = time.Since(due[i])
		}()
	}
	writing.Wait()
	lastResponse := time.Now()
	if err, ok := failure.Load().(error); ok {
		return WatchReport{}, err
	}
	time.AfterFunc(drainTimeout, stop)
	watching.Wait()
	all := sortDurations(latencies)
	result := WatchReport{
		Writes: total, Seconds: lastResponse.Sub(started).Seconds(),
		P50: percentile(all, 0.5), P99: percentile(all, 0.99), Max: percentile(all, 1),
		DrainSeconds: time.Since(lastResponse).Seconds(), Cpu: (cpuTime() - cpuBefore).Seconds(),
	}
	var lags [][]time.Duration
	for _, watcher := range watchers {
		result.Events += watcher.events
		lags = append(lags, watcher.lags)
		if watcher.err == nil && watcher.events == total && watcher.hash == watchers[0].hash {
			continue
		}
		result.Incorrect++
		if result.FirstError == "" && watcher.err != nil {
			result.FirstError = fmt.Sprintf("received %d of %d events: %v", watcher.events, total, watcher.err)
		}
	}
	lag := sortDurations(lags...)
	result.LagP50, result.LagP99 = percentile(lag, 0.5), percentile(lag, 0.99)
	return result, nil
}

func currentVersion(c *clients, path string) (string, error) {
	response, err := c.get(c.shared("h1"), path+"?limit=1", "application/json", false)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	page, err := io.ReadAll(response.Body)
	return string(field(page, versionField)), err
}
