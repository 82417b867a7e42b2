package main

import "time"

// create keeps Concurrency requests in flight, for Seconds or until Count objects are created.
func create(c *clients, job Job) (RequestReport, error) {
	client := c.shared(job.Protocol)
	return runWorkers(job.Concurrency, func(started time.Time, number int) (time.Time, error) {
		sent := time.Now()
		if job.Count > 0 && number > job.Count || job.Count == 0 && sent.After(started.Add(job.duration())) {
			return sent, errDone
		}
		return sent, c.post(client, job.Path, job.Body, job.First+number)
	})
}
