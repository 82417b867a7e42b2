package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// review sends admission reviews to a webhook: with rate 0, Concurrency at a time; otherwise at that rate, with latencies
// measured from the time at which each request was due.
func review(c *clients, job Job) (RequestReport, error) {
	client := c.shared(job.Protocol)
	return runWorkers(job.Concurrency, func(started time.Time, number int) (time.Time, error) {
		due := time.Now()
		if job.Rate > 0 {
			due = started.Add(time.Duration(number) * time.Second / time.Duration(job.Rate))
			time.Sleep(time.Until(due))
		}
		if due.After(started.Add(job.duration())) {
			return due, errDone
		}
		return due, c.sendReview(client, job.Path, job.Body, job.First+number)
	})
}

// sendReview sends one AdmissionReview; any response that does not allow the request with the same uid is an error.
func (c *clients) sendReview(client *http.Client, path, body string, number int) error {
	uid := strconv.Itoa(number)
	request, err := http.NewRequest("POST", c.target.Server+path+"?timeout=10s", strings.NewReader(strings.ReplaceAll(body, "####", uid)))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK || !bytes.Contains(text, []byte(`"allowed":true`)) || !bytes.Contains(text, []byte(`"uid":"`+uid+`"`)) {
		return fmt.Errorf("%s: %s %s", path, response.Status, text)
	}
	return nil
}
