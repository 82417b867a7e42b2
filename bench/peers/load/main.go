// Load is the one client that both control planes are measured with: it reads orders from its standard input, one JSON
// object a line, and answers each with one line. It uses nothing but the standard library, so that it costs little
// beside the servers, and says with every answer how much CPU it took itself.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"syscall"
	"time"
)

// Target is a server and who we are to it, PEM all three; it comes first.
type Target struct {
	Server, Authority, Certificate, Key string
}

// Order is one piece of work. Every occurrence of #### in Body is replaced by a number that is used once.
type Order struct {
	Do          string // admit, create, list or watch
	Protocol    string // h1 or h2
	Path        string
	Body        string
	First       int // the first of the numbers
	Concurrency int
	Seconds     float64
	Count       int // create: so many, however long it takes
	Rate        int // watch: writes a second; admit: questions a second, 0 for as many as are answered
	Watchers    int
	Connections int // watch: that the watchers share
	Accept      string
	Gzip        bool
	Times       int // list: how often
}

func main() {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := json.NewEncoder(os.Stdout)
	var target Target
	if err := next(in, &target); err != nil {
		fail(err)
	}
	clients := newClients(target)
	for {
		var order Order
		if err := next(in, &order); err != nil {
			return
		}
		answer, err := carryOut(clients, order)
		if err != nil {
			answer = map[string]string{"error": err.Error()}
		}
		if err := out.Encode(answer); err != nil {
			fail(err)
		}
	}
}

func carryOut(clients *clients, order Order) (any, error) {
	switch order.Do {
	case "admit":
		return admit(clients, order)
	case "create":
		return create(clients, order)
	case "list":
		return list(clients, order)
	case "watch":
		return watch(clients, order)
	}
	return nil, fmt.Errorf("there is no order %q", order.Do)
}

func next(in *bufio.Reader, value any) error {
	line, err := in.ReadBytes('\n')
	if err != nil {
		return err
	}
	return json.Unmarshal(line, value)
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// cpu is what this process has used so far.
func cpu() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
