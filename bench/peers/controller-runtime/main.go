// The operator, the cache, the webhooks and the work queues of the benchmarks on controller-runtime.
package main

import (
	"fmt"
	"os"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: controller-runtime operator|cache|webhook|queue [flags]")
		os.Exit(2)
	}
	mode := os.Args[1]
	os.Args = append(os.Args[:1], os.Args[2:]...)
	var err error
	switch mode {
	case "operator":
		err = runOperator()
	case "cache":
		err = syncCache()
	case "webhook":
		err = serveWebhooks()
	case "queue":
		err = measureQueues()
	default:
		err = fmt.Errorf("unknown mode %s", mode)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
