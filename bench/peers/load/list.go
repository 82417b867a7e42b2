package main

import (
	"bytes"
	"io"
	"net/url"
	"time"
)

// ListReport is the duration of each complete list and the size of the last one on the wire.
type ListReport struct {
	Milliseconds []float64
	Bytes        int
	ContentType  string
	Cpu          float64
}

var continueField = []byte(`"continue":"`)

// list reads a collection to its end, page by page if the path has a limit, without decoding it.
func list(c *clients, job Job) (ListReport, error) {
	client := c.shared(job.Protocol)
	var result ListReport
	var buffer bytes.Buffer
	cpuBefore := cpuTime()
	for range job.Times {
		result.Bytes = 0
		started := time.Now()
		for path := job.Path; path != ""; {
			response, err := c.get(client, path, job.Accept, job.Gzip)
			if err != nil {
				return result, err
			}
			buffer.Reset()
			_, err = io.Copy(&buffer, response.Body)
			response.Body.Close()
			if err != nil {
				return result, err
			}
			result.Bytes += buffer.Len()
			result.ContentType = response.Header.Get("Content-Type")
			path = nextPage(job.Path, buffer.Bytes())
		}
		result.Milliseconds = append(result.Milliseconds, float64(time.Since(started).Microseconds())/1000)
	}
	result.Cpu = (cpuTime() - cpuBefore).Seconds()
	return result, nil
}

// nextPage returns the path of the next page, or "" after the last. The metadata of a list is at its beginning.
func nextPage(path string, page []byte) string {
	head := page[:min(len(page), 4096)]
	start := bytes.Index(head, continueField)
	if start < 0 {
		return ""
	}
	rest := head[start+len(continueField):]
	token := string(rest[:bytes.IndexByte(rest, '"')])
	if token == "" {
		return ""
	}
	return path + "&continue=" + url.QueryEscape(token)
}
