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

// measureQueues does what bench/queue does with ours: adds of new keys, adds of keys that wait already, and runs of all of them.
func measureQueues() error {
	var keys, rounds int
	var which string
	flag.StringVar(&which, "queue", "priority", "priority or plain")
	flag.IntVar(&keys, "keys", 10000, "how many")
	flag.IntVar(&rounds, "rounds", 5, "how often")
	flag.Parse()
	requests := make([]reconcile.Request, keys)
	for i := range requests {
		requests[i] = reconcile.Request{NamespacedName: types.NamespacedName{Namespace: "default", Name: fmt.Sprintf("cache-%d", i)}}
	}
	out := json.NewEncoder(os.Stdout)
	for round := -1; round < rounds; round++ {
		figures, err := measureQueue(which, requests)
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

func measureQueue(which string, requests []reconcile.Request) (map[string]float64, error) {
	var queue workQueue
	switch which {
	case "priority":
		queue = priorityqueue.New[reconcile.Request]("bench")
	case "plain":
		queue = workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[reconcile.Request]())
	default:
		return nil, fmt.Errorf("there is no queue %s", which)
	}
	defer queue.ShutDown()
	count := float64(len(requests))
	each := func(work func()) float64 {
		before := used()
		work()
		return float64((used() - before).Nanoseconds()) / 1000 / count
	}
	addAll := func() {
		for _, request := range requests {
			queue.Add(request)
		}
		// The priority queue takes adds in later: they are done when it counts them.
		for queue.Len() < len(requests) {
			time.Sleep(10 * time.Microsecond)
		}
	}
	figures := map[string]float64{"add": each(addAll), "add again": each(addAll)}
	figures["run"] = each(func() {
		for range requests {
			request, _ := queue.Get()
			queue.Forget(request)
			queue.Done(request)
		}
	})
	return figures, nil
}

// used is the CPU time of this process: of all its threads, as the wall is others' too.
func used() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
