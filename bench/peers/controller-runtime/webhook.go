package main

import (
	"context"
	"flag"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

// serveWebhooks serves the webhooks of bench/webhook/pintle-webhooks.ts.
func serveWebhooks() error {
	var port int
	var certificates string
	flag.IntVar(&port, "port", 0, "port on the loopback interface")
	flag.StringVar(&certificates, "certificates", "", "folder with tls.crt and tls.key")
	flag.Parse()
	ctx := ctrl.SetupSignalHandler()
	server := webhook.NewServer(webhook.Options{Host: "127.0.0.1", Port: port, CertDir: certificates})
	server.Register("/mutate--v1-pod", admission.WithDefaulter[*corev1.Pod](clientgoscheme.Scheme, pods{}))
	server.Register("/validate--v1-pod", admission.WithValidator[*corev1.Pod](clientgoscheme.Scheme, pods{}))
	fmt.Println("started")
	return server.Start(ctx)
}

type pods struct{}

func (pods) Default(_ context.Context, pod *corev1.Pod) error {
	if pod.Labels == nil {
		pod.Labels = map[string]string{}
	}
	pod.Labels["example.com/defaulted"] = "true"
	for i := range pod.Spec.Containers {
		pod.Spec.Containers[i].ImagePullPolicy = corev1.PullIfNotPresent
	}
	return nil
}

func (pods) ValidateCreate(_ context.Context, pod *corev1.Pod) (admission.Warnings, error) {
	if !pod.Spec.HostNetwork {
		return nil, nil
	}
	forbidden := field.Forbidden(field.NewPath("spec", "hostNetwork"), "host networking is not allowed")
	return nil, apierrors.NewInvalid(schema.GroupKind{Kind: "Pod"}, pod.Name, field.ErrorList{forbidden})
}

func (p pods) ValidateUpdate(ctx context.Context, _, pod *corev1.Pod) (admission.Warnings, error) {
	return p.ValidateCreate(ctx, pod)
}

func (pods) ValidateDelete(context.Context, *corev1.Pod) (admission.Warnings, error) {
	return nil, nil
}
