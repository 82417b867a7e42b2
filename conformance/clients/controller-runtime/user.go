package main

import (
	"context"
	"fmt"
	"sort"
	"time"

	apps "k8s.io/api/apps/v1"
	coordination "k8s.io/api/coordination/v1"
	core "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"
	applycore "k8s.io/client-go/applyconfigurations/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
)

// user performs the actions of a user while the operator runs.
type user struct {
	client.WithWatch
	namespace string
}

func (u *user) play(ctx context.Context, watches *streams) error {
	for _, act := range []func(context.Context) error{u.list, u.verbs, u.refusals, u.memcached, u.lease} {
		if err := act(ctx); err != nil {
			return err
		}
	}
	reportStep("watch lists", watches.seen())
	return u.metrics()
}

func (u *user) list(ctx context.Context) error {
	namespaces := &core.NamespaceList{}
	if err := u.List(ctx, namespaces, client.MatchingFields{"metadata.name": u.namespace}); err != nil {
		return err
	}
	reportStep("namespaces", namespaces)
	partial := &metav1.PartialObjectMetadataList{}
	partial.SetGroupVersionKind(core.SchemeGroupVersion.WithKind("NamespaceList"))
	if err := u.List(ctx, partial); err != nil {
		return err
	}
	names := []string{}
	for _, item := range partial.Items {
		if item.Name == "default" || item.Name == u.namespace {
			names = append(names, item.Name)
		}
	}
	sort.Strings(names)
	reportStep("names", names)
	return nil
}

// verbs writes one ConfigMap with every verb while it is watched.
func (u *user) verbs(ctx context.Context) error {
	labels := client.MatchingLabels{"transcript": "yes"}
	lists := &core.ConfigMapList{}
	if err := u.List(ctx, lists, client.InNamespace(u.namespace), labels); err != nil {
		return err
	}
	reportStep("none yet", len(lists.Items))
	from := &client.ListOptions{Raw: &metav1.ListOptions{ResourceVersion: lists.ResourceVersion, AllowWatchBookmarks: true}}
	events, err := u.Watch(ctx, &core.ConfigMapList{}, client.InNamespace(u.namespace), labels, from)
	if err != nil {
		return err
	}
	defer events.Stop()

	settings := &core.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: "settings", Namespace: u.namespace, Labels: labels},
		Data:       map[string]string{"mode": "slow"},
		BinaryData: map[string][]byte{"raw": {0, 1, 255}},
	}
	stale := settings.DeepCopy()
	writes := []struct {
		name string
		do   func() error
	}{
		{"created", func() error { return u.Create(ctx, settings, client.FieldOwner("user")) }},
		{"updated", func() error {
			settings.DeepCopyInto(stale)
			settings.Data["mode"] = "fast"
			return u.Update(ctx, settings)
		}},
		{"merge patched", func() error {
			before := settings.DeepCopy()
			settings.Data["extra"] = "1"
			return u.Patch(ctx, settings, client.MergeFrom(before))
		}},
		{"JSON patched", func() error {
			return u.Patch(ctx, settings, client.RawPatch(types.JSONPatchType, []byte(`[{"op":"remove","path":"/data/extra"}]`)))
		}},
		{"strategically patched", func() error {
			before := settings.DeepCopy()
			settings.Annotations = map[string]string{"note": "ä"}
			return u.Patch(ctx, settings, client.StrategicMergeFrom(before))
		}},
		{"applied", func() error {
			config := applycore.ConfigMap("settings", u.namespace).WithData(map[string]string{"applied": "yes"})
			if err := u.Apply(ctx, config, client.FieldOwner("applier")); err != nil {
				return err
			}
			return u.Get(ctx, client.ObjectKeyFromObject(settings), settings)
		}},
		{"tried", func() error {
			tried := settings.DeepCopy()
			tried.Data["mode"] = "dry"
			return u.Update(ctx, tried, client.DryRunAll)
		}},
	}
	for _, write := range writes {
		if err := write.do(); err != nil {
			return fmt.Errorf("%s: %w", write.name, err)
		}
		reportStep(write.name, settings)
	}
	config := applycore.ConfigMap("settings", u.namespace).WithData(map[string]string{"applied": "no"})
	reportError("conflict of appliers", u.Apply(ctx, config, client.FieldOwner("another")))
	stale.Data["mode"] = "stale"
	reportError("conflict of writers", u.Update(ctx, stale))
	reportError("precondition", u.Delete(ctx, settings, client.Preconditions{UID: new(types.UID)}))
	if err := u.Delete(ctx, settings); err != nil {
		return err
	}
	return reportEvents(events, 7)
}

func reportEvents(events watch.Interface, count int) error {
	late := time.After(20 * time.Second)
	for count > 0 {
		select {
		case event, open := <-events.ResultChan():
			if !open {
				return fmt.Errorf("the watch ended %d events early", count)
			}
			if event.Type != watch.Bookmark {
				reportStep("event "+string(event.Type), event.Object)
				count--
			}
		case <-late:
			return fmt.Errorf("%d events did not come", count)
		}
	}
	return nil
}

func (u *user) refusals(ctx context.Context) error {
	in := metav1.ObjectMeta{Name: "Not A Name", Namespace: u.namespace}
	reportError("a wrong name", u.Create(ctx, &core.ConfigMap{ObjectMeta: in}))
	reportError("an empty Deployment", u.Create(ctx, &apps.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "empty", Namespace: u.namespace}}))
	reportError("nothing there", u.Get(ctx, client.ObjectKey{Namespace: u.namespace, Name: "missing"}, &core.Pod{}))
	reportError("a wrong size", u.Create(ctx, &Memcached{ObjectMeta: metav1.ObjectMeta{Name: "small", Namespace: u.namespace}, Spec: MemcachedSpec{Size: -1}}))
	return nil
}

// memcached follows one Memcached from creation to deletion.
func (u *user) memcached(ctx context.Context) error {
	memcached := &Memcached{ObjectMeta: metav1.ObjectMeta{Name: "cache", Namespace: u.namespace}, Spec: MemcachedSpec{Size: 2}}
	if err := u.Create(ctx, memcached); err != nil {
		return err
	}
	reportStep("Memcached", memcached)
	if err := u.ready(ctx, memcached, 2); err != nil {
		return err
	}
	before := memcached.DeepCopyObject().(client.Object)
	memcached.Spec.Size = 3
	if err := u.Patch(ctx, memcached, client.MergeFrom(before)); err != nil {
		return err
	}
	if err := u.ready(ctx, memcached, 3); err != nil {
		return err
	}
	if err := u.Delete(ctx, memcached, client.PropagationPolicy(metav1.DeletePropagationBackground)); err != nil {
		return err
	}
	for _, gone := range []client.Object{memcached, &apps.Deployment{ObjectMeta: memcached.ObjectMeta}} {
		err := eventually(ctx, func(ctx context.Context) (bool, error) {
			err := u.Get(ctx, client.ObjectKeyFromObject(gone), gone)
			return apierrors.IsNotFound(err), client.IgnoreNotFound(err)
		})
		if err != nil {
			return err
		}
		reportStep("gone", gone.GetName())
	}
	farewell := &core.ConfigMap{}
	if err := u.Get(ctx, client.ObjectKey{Namespace: u.namespace, Name: "farewell"}, farewell); err != nil {
		return err
	}
	reportStep("farewell", farewell)
	return nil
}

func (u *user) ready(ctx context.Context, memcached *Memcached, size int32) error {
	err := eventually(ctx, func(ctx context.Context) (bool, error) {
		err := u.Get(ctx, client.ObjectKeyFromObject(memcached), memcached)
		return memcached.Status.Ready == size && memcached.Status.ObservedGeneration == memcached.Generation, err
	})
	if err != nil {
		return fmt.Errorf("waiting for %d ready: %w", size, err)
	}
	reportStep("ready", memcached)
	deployment := &apps.Deployment{}
	if err := u.Get(ctx, client.ObjectKeyFromObject(memcached), deployment); err != nil {
		return err
	}
	reportStep("owned", map[string]any{"owners": deployment.OwnerReferences, "spec": deployment.Spec, "ready": deployment.Status.ReadyReplicas})
	return nil
}

func (u *user) lease(ctx context.Context) error {
	lease := &coordination.Lease{}
	if err := u.Get(ctx, client.ObjectKey{Namespace: u.namespace, Name: "operator"}, lease); err != nil {
		return err
	}
	reportStep("led", map[string]any{
		"held":        *lease.Spec.HolderIdentity != "",
		"seconds":     lease.Spec.LeaseDurationSeconds,
		"transitions": lease.Spec.LeaseTransitions,
	})
	return nil
}

// released prints the lease after it was released.
func released(c client.Client, namespace string) error {
	lease := &coordination.Lease{}
	if err := c.Get(context.Background(), client.ObjectKey{Namespace: namespace, Name: "operator"}, lease); err != nil {
		return err
	}
	reportStep("released", map[string]any{"holder": lease.Spec.HolderIdentity, "seconds": lease.Spec.LeaseDurationSeconds})
	return nil
}

func (u *user) metrics() error {
	families, err := metrics.Registry.Gather()
	if err != nil {
		return err
	}
	for _, family := range families {
		if family.GetName() == "leader_election_master_status" {
			reportStep("leading", family.GetMetric()[0].GetGauge().GetValue())
		}
	}
	return nil
}

func eventually(ctx context.Context, done wait.ConditionWithContextFunc) error {
	return wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, 60*time.Second, true, done)
}
