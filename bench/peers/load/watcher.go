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

// watcher reads one watch, counts its events and checks their order.
type watcher struct {
	first       int
	due         []time.Time
	measuresLag bool
	events      int
	// A hash of the names in order: equal for watchers with the same events.
	hash        uint64
	lastVersion uint64
	lags        []time.Duration
	err         error
}

// fnvPrime is the prime of 64-bit FNV.
const fnvPrime = 1099511628211

var (
	nameField    = []byte(`"name":"load-`)
	versionField = []byte(`"resourceVersion":"`)
)

// open starts a watch from the resource version.
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
		return nil, statusError(response)
	}
	return response.Body, nil
}

func (w *watcher) read(body io.ReadCloser, total int) {
	defer body.Close()
	lines := bufio.NewReaderSize(body, 64<<10)
	for w.events < total {
		line, err := lines.ReadSlice('\n')
		if err != nil {
			w.err = err
			return
		}
		number, err := strconv.Atoi(string(field(line, nameField)))
		if err != nil {
			w.err = fmt.Errorf("unexpected event: %.200s", line)
			return
		}
		version, err := strconv.ParseUint(string(field(line, versionField)), 10, 64)
		if err != nil || version <= w.lastVersion {
			w.err = fmt.Errorf("resource version %d came after %d", version, w.lastVersion)
			return
		}
		w.lastVersion = version
		index := number - w.first
		if index == total+1 {
			continue // the write before the measurement
		}
		w.hash = w.hash*fnvPrime + uint64(index)
		if w.measuresLag && index >= 0 && index < total {
			w.lags = append(w.lags, time.Since(w.due[index]))
		}
		w.events++
	}
}

// field returns the text between the prefix and the next quote.
func field(text, prefix []byte) []byte {
	start := bytes.Index(text, prefix)
	if start < 0 {
		return nil
	}
	rest := text[start+len(prefix):]
	end := bytes.IndexByte(rest, '"')
	return rest[:max(end, 0)]
}
