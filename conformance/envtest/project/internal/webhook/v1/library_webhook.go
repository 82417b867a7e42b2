// Package v1 has the webhooks of Library.
package v1

import (
	"context"
	"fmt"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	booksv1 "library/api/v1"
)

type defaulter struct{}

func (defaulter) Default(_ context.Context, library *booksv1.Library) error {
	if library.Spec.Motto == "" {
		library.Spec.Motto = "read"
	}
	return nil
}

type validator struct{}

func (validator) ValidateCreate(_ context.Context, library *booksv1.Library) (admission.Warnings, error) {
	return check(library)
}

func (validator) ValidateUpdate(_ context.Context, before, library *booksv1.Library) (admission.Warnings, error) {
	if library.Spec.Shelves < before.Spec.Shelves-1 {
		return nil, fmt.Errorf("at most one shelf may go at a time")
	}
	return check(library)
}

func (validator) ValidateDelete(_ context.Context, library *booksv1.Library) (admission.Warnings, error) {
	if library.Spec.Motto == "forever" {
		return nil, fmt.Errorf("this library stays")
	}
	return nil, nil
}

func check(library *booksv1.Library) (admission.Warnings, error) {
	if library.Spec.Motto == "burn" {
		return nil, fmt.Errorf("no such motto in a library")
	}
	if library.Spec.Shelves == 0 {
		return admission.Warnings{"a library without shelves is a room"}, nil
	}
	return nil, nil
}

func SetupLibraryWebhookWithManager(mgr ctrl.Manager) error {
	return ctrl.NewWebhookManagedBy(mgr, &booksv1.Library{}).WithDefaulter(defaulter{}).WithValidator(validator{}).Complete()
}
