package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Admitted says how asking a webhook went.
type Admitted struct {
	Requests      int
	Seconds       float64
	P50, P99, Max float64 // milliseconds, from when a question was due
	Cpu           float64 // seconds, of the generator itself
}

// admit asks a webhook: as fast as it answers, so many at a time, or so many a second, each when it is due.
func admit(c *clients, order Order) (Admitted, error) {
	client := c.of(order.Protocol)
	taken := make([][]time.Duration, order.Concurrency)
	var number atomic.Int64
	var failed atomic.Value
	var lanes sync.WaitGroup
	used := cpu()
	started := time.Now()
	end := started.Add(time.Duration(order.Seconds * float64(time.Second)))
	for lane := range order.Concurrency {
		lanes.Add(1)
		go func() {
			defer lanes.Done()
			for failed.Load() == nil {
				each := int(number.Add(1))
				began := time.Now()
				if order.Rate > 0 {
					began = started.Add(time.Duration(each) * time.Second / time.Duration(order.Rate))
					time.Sleep(time.Until(began))
				}
				if began.After(end) {
					return
				}
				if err := c.ask(client, order.Path, order.Body, order.First+each); err != nil {
					failed.Store(err)
					return
				}
				taken[lane] = append(taken[lane], time.Since(began))
			}
		}()
	}
	lanes.Wait()
	seconds := time.Since(started).Seconds()
	if err, ok := failed.Load().(error); ok {
		return Admitted{}, err
	}
	all := sorted(taken...)
	return Admitted{len(all), seconds, at(all, 0.5), at(all, 0.99), at(all, 1), (cpu() - used).Seconds()}, nil
}

// ask sends one review; anything but a yes with its uid is an error.
func (c *clients) ask(client *http.Client, path, body string, number int) error {
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
