package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"syscall"
	"time"

	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"k8s.io/apimachinery/pkg/types"
)

type workQueue = workqueue.TypedRateLimitingInterface[reconcile.Request]

// measureQueues measures adding new keys, adding queued keys again, and processing all keys, as bench/queue/pintle-queue.ts does.
func measureQueues() error {
	var keys, rounds int
	var name string
	flag.StringVar(&name, "queue", "priority", "priority or plain")
	flag.IntVar(&keys, "keys", 10000, "number of keys")
	flag.IntVar(&rounds, "rounds", 5, "number of rounds")
	flag.Parse()
	requests := make([]reconcile.Request, keys)
	for i := range requests {
		requests[i] = reconcile.Request{NamespacedName: types.NamespacedName{Namespace: "default", Name: fmt.Sprintf("cache-%d", i)}}
	}
	out := json.NewEncoder(os.Stdout)
	for round := -1; round < rounds; round++ {
		figures, err := measureQueue(name, requests)
		if err != nil {
			return err
		}
		if round < 0 {
			continue
		}
		if err := out.Encode(figures); err != nil {
			return err
		}
	}
	return nil
}

func measureQueue(name string, requests []reconcile.Request) (map[string]float64, error) {
	var queue workQueue
	switch name {
	case "priority":
		queue = priorityqueue.New[reconcile.Request]("bench")
	case "plain":
		queue = workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[reconcile.Request]())
	default:
		return nil, fmt.Errorf("unknown queue %s", name)
	}
	defer queue.ShutDown()
	count := float64(len(requests))
	measureEach := func(work func()) float64 {
		before := cpuTime()
		work()
		return float64((cpuTime() - before).Nanoseconds()) / 1000 / count
	}
	addAll := func() {
		for _, request := range requests {
			queue.Add(request)
		}
		// The priority queue adds asynchronously: an add is done when Len counts it.
		for queue.Len() < len(requests) {
			time.Sleep(10 * time.Microsecond)
		}
	}
	figures := map[string]float64{"add": measureEach(addAll), "add again": measureEach(addAll)}
	figures["process"] = measureEach(func() {
		for range requests {
			request, _ := queue.Get()
			queue.Forget(request)
			queue.Done(request)
		}
	})
	return figures, nil
}

// cpuTime returns the CPU time of all threads of this process.
func cpuTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
