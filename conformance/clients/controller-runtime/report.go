package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// reportStep prints one step of the transcript.
func reportStep(step string, seen any) {
	text, err := json.Marshal(seen)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%s\t%s\n", step, text)
}

// reportError writes a refusal as its Status, whatever else it is.
func reportError(step string, err error) {
	var status apierrors.APIStatus
	if errors.As(err, &status) {
		reportStep(step, status.Status())
	} else {
		reportStep(step, fmt.Sprint(err))
	}
}

// streams records how watches were opened, and the responses.
type streams struct {
	sync.Mutex
	initial map[string]int
}

func (s *streams) watched(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(request *http.Request) (*http.Response, error) {
		response, err := next.RoundTrip(request)
		if err == nil && request.URL.Query().Get("sendInitialEvents") == "true" {
			resource := request.URL.Path[strings.LastIndex(request.URL.Path, "/")+1:]
			s.Lock()
			defer s.Unlock()
			if s.initial == nil {
				s.initial = map[string]int{}
			}
			s.initial[resource] = response.StatusCode
		}
		return response, err
	})
}

func (s *streams) seen() map[string]int {
	s.Lock()
	defer s.Unlock()
	return s.initial
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(request *http.Request) (*http.Response, error) { return f(request) }
