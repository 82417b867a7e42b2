// The other side of bench/operator and bench/webhook: the same operator, caches and webhooks, on controller-runtime.
package main

import (
	"fmt"
	"os"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: controller-runtime operator|cache|webhook [flags]")
		os.Exit(2)
	}
	mode := os.Args[1]
	os.Args = append(os.Args[:1], os.Args[2:]...)
	var err error
	switch mode {
	case "operator":
		err = operator()
	case "cache":
		err = syncCache()
	case "webhook":
		err = serveWebhooks()
	default:
		err = fmt.Errorf("%s is neither operator nor cache nor webhook", mode)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
