package main

import (
	"bytes"
	"io"
	"net/url"
	"time"
)

// Listed says how long each of the lists took, whole, and how much came over the wire.
type Listed struct {
	Milliseconds []float64
	Bytes        int
	ContentType  string
	Cpu          float64
}

var continueField = []byte(`"continue":"`)

// list reads a collection to its end, page by page where the path has a limit, and does not look at what it reads.
func list(c *clients, order Order) (Listed, error) {
	client := c.of(order.Protocol)
	var result Listed
	var buffer bytes.Buffer
	used := cpu()
	for range order.Times {
		result.Bytes = 0
		started := time.Now()
		for path := order.Path; path != ""; {
			response, err := c.get(client, path, order.Accept, order.Gzip)
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
			path = nextPage(order.Path, buffer.Bytes())
		}
		result.Milliseconds = append(result.Milliseconds, float64(time.Since(started).Microseconds())/1000)
	}
	result.Cpu = (cpu() - used).Seconds()
	return result, nil
}

// nextPage is where the list goes on, or nothing; the metadata of a list comes at its beginning.
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
