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

// syncCache lists everything of one kind into a cache, says what that took, and stays until its input ends.
func syncCache() error {
	var of string
	var metadataOnly, strip bool
	flag.StringVar(&of, "of", "pods", "pods or workers")
	flag.BoolVar(&metadataOnly, "metadata-only", false, "keep metadata alone")
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
	before := heap()
	started := time.Now()
	objects, err := cache.New(config, options)
	if err != nil {
		return err
	}
	informer, err := objects.GetInformer(ctx, kindOf(of, metadataOnly), cache.BlockUntilSynced(false))
	if err != nil {
		return err
	}
	if _, err := informer.AddEventHandler(markers()); err != nil {
		return err
	}
	go func() { _ = objects.Start(ctx) }()
	if !objects.WaitForCacheSync(ctx) {
		return errors.New("the cache did not sync")
	}
	took := time.Since(started)
	count, err := countOf(ctx, objects, of, metadataOnly)
	if err != nil {
		return err
	}
	after := heap()
	report := map[string]any{"objects": count, "milliseconds": took.Seconds() * 1000, "heapBytes": after - before}
	if err := json.NewEncoder(os.Stdout).Encode(report); err != nil {
		return err
	}
	_, _ = os.Stdin.Read(make([]byte, 1))
	runtime.KeepAlive(objects)
	return nil
}

// markers says when an object that the benchmark marks is seen.
func markers() toolscache.ResourceEventHandler {
	see := func(object any) {
		if named, ok := object.(client.Object); ok && strings.HasPrefix(named.GetName(), "marker-") {
			fmt.Printf("seen %s %d\n", named.GetName(), time.Now().UnixMicro())
		}
	}
	return toolscache.ResourceEventHandlerFuncs{AddFunc: see, UpdateFunc: func(_, object any) { see(object) }}
}

func heap() int64 {
	var stats runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}

func versionKind(of string) (schema.GroupVersionKind, error) {
	switch of {
	case "pods":
		return corev1.SchemeGroupVersion.WithKind("Pod"), nil
	case "workers":
		return workerVersion.WithKind("Worker"), nil
	}
	return schema.GroupVersionKind{}, fmt.Errorf("there is no cache of %s", of)
}

func kindOf(of string, metadataOnly bool) client.Object {
	if metadataOnly {
		gvk, _ := versionKind(of)
		partial := &metav1.PartialObjectMetadata{}
		partial.SetGroupVersionKind(gvk)
		return partial
	}
	if of == "workers" {
		return &Worker{}
	}
	return &corev1.Pod{}
}

func countOf(ctx context.Context, objects cache.Cache, of string, metadataOnly bool) (int, error) {
	gvk, err := versionKind(of)
	if err != nil {
		return 0, err
	}
	if metadataOnly {
		list := &metav1.PartialObjectMetadataList{}
		list.SetGroupVersionKind(gvk.GroupVersion().WithKind(gvk.Kind + "List"))
		err := objects.List(ctx, list, client.UnsafeDisableDeepCopy)
		return len(list.Items), err
	}
	if of == "workers" {
		list := &WorkerList{}
		err := objects.List(ctx, list, client.UnsafeDisableDeepCopy)
		return len(list.Items), err
	}
	list := &corev1.PodList{}
	err = objects.List(ctx, list, client.UnsafeDisableDeepCopy)
	return len(list.Items), err
}
