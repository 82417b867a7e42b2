package main

import (
	"flag"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/selection"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

// runOperator runs a manager as kubebuilder scaffolds it, without client-side rate limiting.
func runOperator() error {
	var metricsAddress, probeAddress string
	var workers int
	flag.StringVar(&metricsAddress, "metrics-bind-address", ":8080", "address of the metrics endpoint")
	flag.StringVar(&probeAddress, "health-probe-bind-address", ":8081", "address of the probe endpoint")
	flag.IntVar(&workers, "workers", 10, "maximum number of concurrent reconciles")
	flag.Parse()
	ctrl.SetLogger(zap.New())

	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, addMemcached} {
		if err := add(scheme); err != nil {
			return err
		}
	}
	config, err := ctrl.GetConfig()
	if err != nil {
		return err
	}
	config.QPS = -1
	labelled, err := labels.NewRequirement(memcachedLabel, selection.Exists, nil)
	if err != nil {
		return err
	}
	pods := cache.ByObject{Label: labels.NewSelector().Add(*labelled)}
	mgr, err := ctrl.NewManager(config, ctrl.Options{
		Scheme:                 scheme,
		Metrics:                metricsserver.Options{BindAddress: metricsAddress},
		HealthProbeBindAddress: probeAddress,
		Cache:                  cache.Options{ByObject: map[client.Object]cache.ByObject{&corev1.Pod{}: pods}},
	})
	if err != nil {
		return err
	}
	if err := (&Reconciler{Client: mgr.GetClient(), Scheme: scheme}).SetupWithManager(mgr, workers); err != nil {
		return err
	}
	if err := mgr.AddReadyzCheck("ping", healthz.Ping); err != nil {
		return err
	}
	return mgr.Start(ctrl.SetupSignalHandler())
}
