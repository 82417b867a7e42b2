package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"
)

// watcher reads one watch and keeps count: which events came, and that they came in order.
type watcher struct {
	first  int
	due    []time.Time
	lag    bool
	events int
	// Of the names in the order they came: equal for all who saw the same.
	hash  uint64
	last  uint64
	lags  []time.Duration
	fault error
}

// Of FNV, 64 bits.
const prime = 1099511628211

var (
	nameField    = []byte(`"name":"load-`)
	versionField = []byte(`"resourceVersion":"`)
)

// open begins a watch of everything after the version.
func (w *watcher) open(ctx context.Context, c *clients, client *http.Client, path, version string) (io.ReadCloser, error) {
	request, err := http.NewRequestWithContext(ctx, "GET", c.target.Server+path+"?watch=1&resourceVersion="+version, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("User-Agent", "load/1")
	request.Header.Set("Accept", "application/json")
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	if response.StatusCode != http.StatusOK {
		return nil, refusal(response)
	}
	return response.Body, nil
}

func (w *watcher) read(body io.ReadCloser, total int) {
	defer body.Close()
	lines := bufio.NewReaderSize(body, 64<<10)
	for w.events < total {
		line, err := lines.ReadSlice('\n')
		if err != nil {
			w.fault = err
			return
		}
		number, err := strconv.Atoi(string(field(line, nameField)))
		if err != nil {
			w.fault = fmt.Errorf("not an event of ours: %.200s", line)
			return
		}
		version, err := strconv.ParseUint(string(field(line, versionField)), 10, 64)
		if err != nil || version <= w.last {
			w.fault = fmt.Errorf("resource version %d came after %d", version, w.last)
			return
		}
		w.last = version
		index := number - w.first
		if index == total+1 {
			continue // it only says that writes can come through
		}
		w.hash = w.hash*prime + uint64(index)
		if w.lag && index >= 0 && index < total {
			w.lags = append(w.lags, time.Since(w.due[index]))
		}
		w.events++
	}
}

// field is the text up to the quote that follows the prefix.
func field(text, prefix []byte) []byte {
	start := bytes.Index(text, prefix)
	if start < 0 {
		return nil
	}
	rest := text[start+len(prefix):]
	end := bytes.IndexByte(rest, '"')
	return rest[:max(end, 0)]
}
