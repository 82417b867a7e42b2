package main

import (
	"context"
	"fmt"
	"sort"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

const memcachedLabel = "cache.example.com/memcached"

type Reconciler struct {
	client.Client
	Scheme *runtime.Scheme
}

func (r *Reconciler) SetupWithManager(mgr ctrl.Manager, workers int) error {
	return ctrl.NewControllerManagedBy(mgr).
		For(&Memcached{}, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Owns(&appsv1.Deployment{}).
		Watches(&corev1.Pod{}, handler.EnqueueRequestsFromMapFunc(ownerByLabel)).
		WithOptions(controller.Options{MaxConcurrentReconciles: workers}).
		Complete(r)
}

func ownerByLabel(_ context.Context, pod client.Object) []reconcile.Request {
	name, labelled := pod.GetLabels()[memcachedLabel]
	if !labelled {
		return nil
	}
	return []reconcile.Request{{NamespacedName: types.NamespacedName{Namespace: pod.GetNamespace(), Name: name}}}
}

func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	memcached := &Memcached{}
	if err := r.Get(ctx, req.NamespacedName, memcached); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	// The latency benchmark reads when a change reaches the reconciler.
	if memcached.Generation > 1 {
		fmt.Printf("%s %d %d\n", memcached.Name, memcached.Generation, time.Now().UnixMicro())
	}
	deployment, err := r.ensureDeployment(ctx, memcached)
	if err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, r.updateStatus(ctx, memcached, deployment)
}

func (r *Reconciler) ensureDeployment(ctx context.Context, memcached *Memcached) (*appsv1.Deployment, error) {
	found := &appsv1.Deployment{}
	err := r.Get(ctx, client.ObjectKeyFromObject(memcached), found)
	if apierrors.IsNotFound(err) {
		created := deploymentFor(memcached)
		if err := ctrl.SetControllerReference(memcached, created, r.Scheme); err != nil {
			return nil, err
		}
		log.FromContext(ctx).Info("Creating a new Deployment")
		return created, r.Create(ctx, created)
	}
	if err != nil {
		return nil, err
	}
	wanted := deploymentFor(memcached)
	container := &found.Spec.Template.Spec.Containers[0]
	if *found.Spec.Replicas == memcached.Spec.Size && container.Image == memcached.Spec.Image {
		return found, nil
	}
	found.Spec.Replicas = wanted.Spec.Replicas
	container.Image = memcached.Spec.Image
	return found, r.Update(ctx, found)
}

func (r *Reconciler) updateStatus(ctx context.Context, memcached *Memcached, deployment *appsv1.Deployment) error {
	pods := &corev1.PodList{}
	if err := r.List(ctx, pods, client.InNamespace(memcached.Namespace), client.MatchingLabels{memcachedLabel: memcached.Name}); err != nil {
		return err
	}
	nodes := make([]string, 0, len(pods.Items))
	for _, pod := range pods.Items {
		nodes = append(nodes, pod.Name)
	}
	sort.Strings(nodes)

	before := &MemcachedStatus{}
	memcached.Status.DeepCopyInto(before)
	memcached.Status.Nodes = nodes
	memcached.Status.Replicas = int32(len(nodes))
	memcached.Status.Selector = fmt.Sprintf("%s=%s", memcachedLabel, memcached.Name)
	memcached.Status.ObservedGeneration = memcached.Generation
	meta.SetStatusCondition(&memcached.Status.Conditions, available(memcached, deployment))
	if equality.Semantic.DeepEqual(before, &memcached.Status) {
		return nil
	}
	return r.Status().Update(ctx, memcached)
}

func available(memcached *Memcached, deployment *appsv1.Deployment) metav1.Condition {
	ready := deployment.Status.ReadyReplicas
	condition := metav1.Condition{
		Type:               "Available",
		Status:             metav1.ConditionFalse,
		Reason:             "PodsMissing",
		Message:            fmt.Sprintf("%d of %d pods are ready", ready, memcached.Spec.Size),
		ObservedGeneration: memcached.Generation,
	}
	if ready >= memcached.Spec.Size {
		condition.Status = metav1.ConditionTrue
		condition.Reason = "Ready"
	}
	return condition
}

func deploymentFor(memcached *Memcached) *appsv1.Deployment {
	labels := map[string]string{"app.kubernetes.io/name": "memcached", memcachedLabel: memcached.Name}
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: memcached.Name, Namespace: memcached.Namespace, Labels: labels},
		Spec: appsv1.DeploymentSpec{
			Replicas: &memcached.Spec.Size,
			Selector: &metav1.LabelSelector{MatchLabels: map[string]string{memcachedLabel: memcached.Name}},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec: corev1.PodSpec{Containers: []corev1.Container{{
					Name:  "memcached",
					Image: memcached.Spec.Image,
					Args:  []string{"memcached", "-m", "64", "-o", "modern"},
					Ports: []corev1.ContainerPort{{Name: "memcached", ContainerPort: 11211}},
				}}},
			},
		},
	}
}
