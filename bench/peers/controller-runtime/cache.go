package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	toolscache "k8s.io/client-go/tools/cache"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// syncCache fills a cache with all objects of a kind, prints the cost, then prints each marker it sees until stdin is closed.
func syncCache() error {
	var kind string
	var metadataOnly, strip bool
	flag.StringVar(&kind, "kind", "pods", "pods or workers")
	flag.BoolVar(&metadataOnly, "metadata-only", false, "cache metadata only")
	flag.BoolVar(&strip, "strip", false, "drop managedFields")
	flag.Parse()
	ctx := ctrl.SetupSignalHandler()

	scheme := apiruntime.NewScheme()
	for _, add := range []func(*apiruntime.Scheme) error{clientgoscheme.AddToScheme, addWorker} {
		if err := add(scheme); err != nil {
			return err
		}
	}
	config, err := ctrl.GetConfig()
	if err != nil {
		return err
	}
	config.QPS = -1
	options := cache.Options{Scheme: scheme}
	if strip {
		options.DefaultTransform = cache.TransformStripManagedFields()
	}
	before := heapBytes()
	started := time.Now()
	objects, err := cache.New(config, options)
	if err != nil {
		return err
	}
	informer, err := objects.GetInformer(ctx, newObject(kind, metadataOnly), cache.BlockUntilSynced(false))
	if err != nil {
		return err
	}
	if _, err := informer.AddEventHandler(markerHandler()); err != nil {
		return err
	}
	go func() { _ = objects.Start(ctx) }()
	if !objects.WaitForCacheSync(ctx) {
		return errors.New("the cache did not sync")
	}
	elapsed := time.Since(started)
	count, err := countObjects(ctx, objects, kind, metadataOnly)
	if err != nil {
		return err
	}
	after := heapBytes()
	report := map[string]any{"objects": count, "milliseconds": elapsed.Seconds() * 1000, "heapBytes": after - before}
	if err := json.NewEncoder(os.Stdout).Encode(report); err != nil {
		return err
	}
	_, _ = os.Stdin.Read(make([]byte, 1))
	runtime.KeepAlive(objects)
	return nil
}

// markerHandler prints when the cache receives a marker object of the benchmark.
func markerHandler() toolscache.ResourceEventHandler {
	printMarker := func(object any) {
		if named, ok := object.(client.Object); ok && strings.HasPrefix(named.GetName(), "marker-") {
			fmt.Printf("seen %s %d\n", named.GetName(), time.Now().UnixMicro())
		}
	}
	return toolscache.ResourceEventHandlerFuncs{AddFunc: printMarker, UpdateFunc: func(_, object any) { printMarker(object) }}
}

func heapBytes() int64 {
	var stats runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}

func kindFor(kind string) (schema.GroupVersionKind, error) {
	switch kind {
	case "pods":
		return corev1.SchemeGroupVersion.WithKind("Pod"), nil
	case "workers":
		return workerVersion.WithKind("Worker"), nil
	}
	return schema.GroupVersionKind{}, fmt.Errorf("unknown kind %s", kind)
}

func newObject(kind string, metadataOnly bool) client.Object {
	if metadataOnly {
		gvk, _ := kindFor(kind)
		partial := &metav1.PartialObjectMetadata{}
		partial.SetGroupVersionKind(gvk)
		return partial
	}
	if kind == "workers" {
		return &Worker{}
	}
	return &corev1.Pod{}
}

func countObjects(ctx context.Context, objects cache.Cache, kind string, metadataOnly bool) (int, error) {
	gvk, err := kindFor(kind)
	if err != nil {
		return 0, err
	}
	if metadataOnly {
		list := &metav1.PartialObjectMetadataList{}
		list.SetGroupVersionKind(gvk.GroupVersion().WithKind(gvk.Kind + "List"))
		err := objects.List(ctx, list, client.UnsafeDisableDeepCopy)
		return len(list.Items), err
	}
	if kind == "workers" {
		list := &WorkerList{}
		err := objects.List(ctx, list, client.UnsafeDisableDeepCopy)
		return len(list.Items), err
	}
	list := &corev1.PodList{}
	err = objects.List(ctx, list, client.UnsafeDisableDeepCopy)
	return len(list.Items), err
}
