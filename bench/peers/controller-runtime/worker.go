package main

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var workerVersion = schema.GroupVersion{Group: "bench.example.com", Version: "v1"}

// Worker is a custom resource with the fields of a Pod.
type Worker struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              corev1.PodSpec   `json:"spec,omitempty"`
	Status            corev1.PodStatus `json:"status,omitempty"`
}

type WorkerList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Worker `json:"items"`
}

func (in *Worker) DeepCopyInto(out *Worker) {
	*out = *in
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	in.Spec.DeepCopyInto(&out.Spec)
	in.Status.DeepCopyInto(&out.Status)
}

func (in *Worker) DeepCopyObject() runtime.Object {
	out := new(Worker)
	in.DeepCopyInto(out)
	return out
}

func (in *WorkerList) DeepCopyObject() runtime.Object {
	out := &WorkerList{TypeMeta: in.TypeMeta, Items: make([]Worker, len(in.Items))}
	in.ListMeta.DeepCopyInto(&out.ListMeta)
	for i := range in.Items {
		in.Items[i].DeepCopyInto(&out.Items[i])
	}
	return out
}

func addWorker(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(workerVersion, &Worker{}, &WorkerList{})
	metav1.AddToGroupVersion(scheme, workerVersion)
	return nil
}
