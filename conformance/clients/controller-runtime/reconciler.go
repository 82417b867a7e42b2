package main

import (
	"context"

	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
)

const finalizer = "go.example.com/farewell"

// reconciler reconciles a Deployment of the desired size for every Memcached and finalizes it.
type reconciler struct {
	client.Client
}

func (r *reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	memcached := &Memcached{}
	if err := r.Get(ctx, request.NamespacedName, memcached); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !memcached.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, r.farewell(ctx, memcached)
	}
	if controllerutil.AddFinalizer(memcached, finalizer) {
		return ctrl.Result{}, r.Update(ctx, memcached)
	}
	deployment := &apps.Deployment{ObjectMeta: metav1.ObjectMeta{Name: memcached.Name, Namespace: memcached.Namespace}}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, deployment, func() error {
		shape(deployment, memcached.Spec.Size)
		return controllerutil.SetControllerReference(memcached, deployment, r.Scheme())
	})
	if err != nil {
		return ctrl.Result{}, err
	}
	status := MemcachedStatus{Ready: deployment.Status.ReadyReplicas, ObservedGeneration: memcached.Generation}
	if memcached.Status == status {
		return ctrl.Result{}, nil
	}
	memcached.Status = status
	return ctrl.Result{}, r.Status().Update(ctx, memcached)
}

func (r *reconciler) farewell(ctx context.Context, memcached *Memcached) error {
	if !controllerutil.ContainsFinalizer(memcached, finalizer) {
		return nil
	}
	note := &core.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "farewell", Namespace: memcached.Namespace}}
	if err := r.Create(ctx, note); client.IgnoreAlreadyExists(err) != nil {
		return err
	}
	// Not left to the garbage collector, which may take half a minute to discover a new kind.
	deployment := &apps.Deployment{ObjectMeta: metav1.ObjectMeta{Name: memcached.Name, Namespace: memcached.Namespace}}
	if err := r.Delete(ctx, deployment); client.IgnoreNotFound(err) != nil {
		return err
	}
	controllerutil.RemoveFinalizer(memcached, finalizer)
	return r.Update(ctx, memcached)
}

func shape(deployment *apps.Deployment, size int32) {
	labels := map[string]string{"app": deployment.Name}
	deployment.Spec.Replicas = &size
	deployment.Spec.Selector = &metav1.LabelSelector{MatchLabels: labels}
	deployment.Spec.Template.Labels = labels
	if len(deployment.Spec.Template.Spec.Containers) == 0 {
		deployment.Spec.Template.Spec.Containers = []core.Container{{Name: "memcached", Image: "memcached:1.6"}}
	}
}
