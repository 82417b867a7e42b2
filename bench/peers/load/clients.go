package main

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// clients creates HTTP clients for one server. One client per protocol is shared between jobs, so that its connections stay open.
type clients struct {
	target     Target
	tls        *tls.Config
	byProtocol map[string]*http.Client
}

func newClients(target Target) *clients {
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM([]byte(target.Authority)) {
		fail(fmt.Errorf("the certificate authority is not a PEM certificate"))
	}
	pair, err := tls.X509KeyPair([]byte(target.Certificate), []byte(target.Key))
	if err != nil {
		fail(err)
	}
	config := &tls.Config{RootCAs: pool, Certificates: []tls.Certificate{pair}}
	return &clients{target, config, map[string]*http.Client{}}
}

func (c *clients) shared(protocol string) *http.Client {
	if c.byProtocol[protocol] == nil {
		c.byProtocol[protocol] = c.create(protocol)
	}
	return c.byProtocol[protocol]
}

func (c *clients) create(protocol string) *http.Client {
	transport := &http.Transport{
		TLSClientConfig:     c.tls.Clone(),
		MaxIdleConnsPerHost: 1000,
		// A job that wants compression sets the header itself.
		DisableCompression: true,
		Protocols:          new(http.Protocols),
	}
	transport.Protocols.SetHTTP1(protocol == "h1")
	transport.Protocols.SetHTTP2(protocol == "h2")
	return &http.Client{Transport: transport}
}

func (c *clients) get(client *http.Client, path, accept string, gzip bool) (*http.Response, error) {
	request, err := http.NewRequest("GET", c.target.Server+path, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("User-Agent", "load/1")
	request.Header.Set("Accept", accept)
	if gzip {
		request.Header.Set("Accept-Encoding", "gzip")
	}
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	if response.StatusCode != http.StatusOK {
		return nil, statusError(response)
	}
	return response, nil
}

// post creates one object and reads the response to its end; any status but 201 is an error.
func (c *clients) post(client *http.Client, path, body string, number int) error {
	text := strings.ReplaceAll(body, "####", strconv.Itoa(number))
	request, err := http.NewRequest("POST", c.target.Server+path, strings.NewReader(text))
	if err != nil {
		return err
	}
	request.Header.Set("User-Agent", "load/1")
	request.Header.Set("Accept", "application/json")
	request.Header.Set("Content-Type", "application/json")
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusCreated {
		return statusError(response)
	}
	defer response.Body.Close()
	_, err = io.Copy(io.Discard, response.Body)
	return err
}

func statusError(response *http.Response) error {
	defer response.Body.Close()
	text, _ := io.ReadAll(io.LimitReader(response.Body, 1000))
	return fmt.Errorf("%s %s: %s %s", response.Request.Method, response.Request.URL.Path, response.Status, bytes.TrimSpace(text))
}
