// Package controller reconciles the shelves of a Library, which are ConfigMaps.
package controller

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	booksv1 "library/api/v1"
)

const finalizer = "books.example.com/inventory"

type LibraryReconciler struct {
	client.Client
	Scheme *runtime.Scheme
}

func (r *LibraryReconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	library := &booksv1.Library{}
	if err := r.Get(ctx, req.NamespacedName, library); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !library.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, r.finalize(ctx, library)
	}
	if controllerutil.AddFinalizer(library, finalizer) {
		return ctrl.Result{}, r.Update(ctx, library)
	}
	shelves, err := r.shelves(ctx, library)
	if err != nil {
		return ctrl.Result{}, err
	}
	for number := range library.Spec.Shelves {
		shelf := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: library.Namespace, Name: shelfName(library, number)}}
		_, err := controllerutil.CreateOrUpdate(ctx, r.Client, shelf, func() error {
			shelf.Labels = map[string]string{"library": library.Name}
			shelf.Data = map[string]string{"access": library.Spec.Access}
			return controllerutil.SetControllerReference(library, shelf, r.Scheme)
		})
		if err != nil {
			return ctrl.Result{}, err
		}
	}
	for _, shelf := range shelves {
		if !wanted(library, shelf.Name) {
			if err := r.Delete(ctx, &shelf); client.IgnoreNotFound(err) != nil {
				return ctrl.Result{}, err
			}
		}
	}
	library.Status.Shelves = library.Spec.Shelves
	meta.SetStatusCondition(&library.Status.Conditions, metav1.Condition{
		Type: "Stocked", Status: metav1.ConditionTrue, Reason: "ShelvesStand", ObservedGeneration: library.Generation,
		Message: fmt.Sprintf("%d shelves", library.Spec.Shelves),
	})
	return ctrl.Result{}, r.Status().Update(ctx, library)
}

// finalize writes an inventory before the library is deleted.
func (r *LibraryReconciler) finalize(ctx context.Context, library *booksv1.Library) error {
	if !controllerutil.ContainsFinalizer(library, finalizer) {
		return nil
	}
	inventory := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: library.Namespace, Name: library.Name + "-inventory"}}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, inventory, func() error {
		inventory.Data = map[string]string{"shelves": fmt.Sprint(library.Status.Shelves)}
		return nil
	})
	if err != nil {
		return err
	}
	controllerutil.RemoveFinalizer(library, finalizer)
	return r.Update(ctx, library)
}

func (r *LibraryReconciler) shelves(ctx context.Context, library *booksv1.Library) ([]corev1.ConfigMap, error) {
	list := &corev1.ConfigMapList{}
	err := r.List(ctx, list, client.InNamespace(library.Namespace), client.MatchingLabels{"library": library.Name})
	return list.Items, err
}

func shelfName(library *booksv1.Library, number int32) string {
	return fmt.Sprintf("%s-%d", library.Name, number)
}

func wanted(library *booksv1.Library, name string) bool {
	for number := range library.Spec.Shelves {
		if shelfName(library, number) == name {
			return true
		}
	}
	return false
}

func (r *LibraryReconciler) SetupWithManager(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).For(&booksv1.Library{}).Owns(&corev1.ConfigMap{}).Named("library").Complete(r)
}
