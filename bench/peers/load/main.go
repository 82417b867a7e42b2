// Load is the load generator of the benchmarks: it reads a target and then jobs from standard input, one JSON object per
// line, and prints one report per job. It uses only the standard library, so that it needs little CPU beside the servers
// it measures; every report has the CPU time of the generator.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"syscall"
	"time"
)

// Target is the server and the client certificate, in PEM. It is the first line of the input.
type Target struct {
	Server, Authority, Certificate, Key string
}

// Job is a series of requests. Every #### in Body is replaced by a number that is used once.
type Job struct {
	Operation   string // review, create, list or watch
	Protocol    string // h1 or h2
	Path        string
	Body        string
	First       int // added to every number
	Concurrency int
	Seconds     float64
	Count       int // create: number of objects; 0 means as many as fit into Seconds
	Rate        int // watch: writes per second; review: requests per second, 0 means as many as are answered
	Watchers    int
	Connections int // watch: connections that the watchers share
	Accept      string
	Gzip        bool
	Times       int // list: number of lists
}

func (j Job) duration() time.Duration {
	return time.Duration(j.Seconds * float64(time.Second))
}

func main() {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := json.NewEncoder(os.Stdout)
	var target Target
	if err := readLine(in, &target); err != nil {
		fail(err)
	}
	clients := newClients(target)
	for {
		var job Job
		if err := readLine(in, &job); err != nil {
			return
		}
		report, err := run(clients, job)
		if err != nil {
			report = map[string]string{"error": err.Error()}
		}
		if err := out.Encode(report); err != nil {
			fail(err)
		}
	}
}

func run(clients *clients, job Job) (any, error) {
	switch job.Operation {
	case "review":
		return review(clients, job)
	case "create":
		return create(clients, job)
	case "list":
		return list(clients, job)
	case "watch":
		return watch(clients, job)
	}
	return nil, fmt.Errorf("unknown operation %q", job.Operation)
}

func readLine(in *bufio.Reader, value any) error {
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

// cpuTime returns the CPU time that this process has used so far.
func cpuTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
