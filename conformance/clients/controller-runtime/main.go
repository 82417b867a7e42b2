// A controller-runtime operator and its user in one program: prints what they observe of an API server to stdout, a line
// per step. The only argument is the namespace; KUBECONFIG names the server.
package main

import (
	"context"
	"fmt"
	"os"

	apps "k8s.io/api/apps/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

func main() {
	ctrl.SetLogger(zap.New())
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(namespace string) error {
	ctx, stop := context.WithCancel(ctrl.SetupSignalHandler())
	defer stop()
	scheme := runtime.NewScheme()
	utilruntime.Must(clientgoscheme.AddToScheme(scheme))
	utilruntime.Must(apiextensions.AddToScheme(scheme))
	utilruntime.Must(addMemcached(scheme))

	config, err := ctrl.GetConfig()
	if err != nil {
		return err
	}
	watches := &streams{}
	config.Wrap(watches.watched)
	if err := install(ctx, config, scheme, namespace); err != nil {
		return err
	}
	operator, err := ctrl.NewManager(config, ctrl.Options{
		Scheme:                        scheme,
		Cache:                         cache.Options{DefaultNamespaces: map[string]cache.Config{namespace: {}}},
		Metrics:                       metricsserver.Options{BindAddress: "127.0.0.1:0"},
		LeaderElection:                true,
		LeaderElectionID:              "operator",
		LeaderElectionNamespace:       namespace,
		LeaderElectionReleaseOnCancel: true,
	})
	if err != nil {
		return err
	}
	err = ctrl.NewControllerManagedBy(operator).For(&Memcached{}).Owns(&apps.Deployment{}).Complete(&reconciler{operator.GetClient()})
	if err != nil {
		return err
	}
	// Without a cache, as a user reads.
	direct, err := client.NewWithWatch(config, client.Options{Scheme: scheme})
	if err != nil {
		return err
	}
	var failed error
	err = operator.Add(manager.RunnableFunc(func(ctx context.Context) error {
		defer stop()
		failed = (&user{direct, namespace}).play(ctx, watches)
		return nil
	}))
	if err != nil {
		return err
	}
	if err := operator.Start(ctx); err != nil {
		return err
	}
	if failed != nil {
		return failed
	}
	return released(direct, namespace)
}
