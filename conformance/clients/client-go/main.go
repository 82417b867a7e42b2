// Runs an action per line of stdin with client-go against a failing API server and prints the results to stdout.
// KUBECONFIG names the server.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	core "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	typed "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/clientcmd"
)

// seen is the result of one action.
type seen struct {
	Ok         bool     `json:"ok"`
	Code       int32    `json:"code,omitempty"`
	Reason     string   `json:"reason,omitempty"`
	RetryAfter int32    `json:"retryAfter,omitempty"`
	Broken     bool     `json:"broken,omitempty"`
	Events     []string `json:"events,omitempty"`
	// The final state of a watch: "ended", or "open" when it became idle.
	End string `json:"end,omitempty"`
	// Milliseconds between the first event and the last.
	Span int64 `json:"span,omitempty"`
	Ms   int64 `json:"ms"`
}

// A watch without events for this long after the last write is considered idle.
const silence = 1500 * time.Millisecond

func main() {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		panic(err)
	}
	maps := kubernetes.NewForConfigOrDie(config).CoreV1().ConfigMaps("default")
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		started := time.Now()
		result := do(context.Background(), maps, lines.Text())
		result.Ms = time.Since(started).Milliseconds()
		text, _ := json.Marshal(result)
		fmt.Println(string(text))
	}
}

func do(ctx context.Context, maps typed.ConfigMapInterface, word string) seen {
	switch word {
	case "write":
		return outcome(patch(ctx, maps, "0"))
	case "create":
		_, err := maps.Create(ctx, &core.ConfigMap{ObjectMeta: meta.ObjectMeta{Name: "b"}}, meta.CreateOptions{})
		return outcome(err)
	case "list":
		_, err := maps.List(ctx, meta.ListOptions{})
		return outcome(err)
	case "watch":
		return follow(ctx, maps)
	}
	panic("unknown: " + word)
}

func patch(ctx context.Context, maps typed.ConfigMapInterface, i string) error {
	_, err := maps.Patch(ctx, "a", types.MergePatchType, []byte(`{"data":{"i":"`+i+`"}}`), meta.PatchOptions{})
	return err
}

// follow watches while the object is changed three times.
func follow(ctx context.Context, maps typed.ConfigMapInterface) seen {
	list, err := maps.List(ctx, meta.ListOptions{})
	if err != nil {
		return outcome(err)
	}
	stream, err := maps.Watch(ctx, meta.ListOptions{ResourceVersion: list.ResourceVersion})
	if err != nil {
		return outcome(err)
	}
	defer stream.Stop()
	written := make(chan struct{})
	ended := written
	// Events in flight must not reach the next action.
	defer func() { <-ended }()
	go func() {
		defer close(ended)
		for _, i := range []string{"1", "2", "3"} {
			if patch(ctx, maps, i) != nil {
				return
			}
		}
	}()
	result := seen{Ok: true, Events: []string{}, End: "open"}
	var quiet <-chan time.Time
	var first time.Time
	for {
		select {
		case <-written:
			written = nil
			quiet = time.After(silence)
		case event, more := <-stream.ResultChan():
			if !more {
				result.End = "ended"
				return result
			}
			if event.Type == watch.Error {
				failed := outcome(apierrors.FromObject(event.Object))
				failed.Events = result.Events
				return failed
			}
			if changed, is := event.Object.(*core.ConfigMap); is && event.Type != watch.Bookmark {
				if len(result.Events) == 0 {
					first = time.Now()
				}
				result.Span = time.Since(first).Milliseconds()
				result.Events = append(result.Events, changed.Data["i"])
			}
		case <-quiet:
			return result
		}
	}
}

func outcome(err error) seen {
	if err == nil {
		return seen{Ok: true}
	}
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return seen{Broken: true}
	}
	of := status.Status()
	result := seen{Code: of.Code, Reason: string(of.Reason)}
	if of.Details != nil {
		result.RetryAfter = of.Details.RetryAfterSeconds
	}
	return result
}
