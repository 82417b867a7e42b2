// Package v1 has the kind Library, of the group books.example.com.
package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/scheme"
)

var (
	GroupVersion  = schema.GroupVersion{Group: "books.example.com", Version: "v1"}
	SchemeBuilder = &scheme.Builder{GroupVersion: GroupVersion}
	AddToScheme   = SchemeBuilder.AddToScheme
)

func init() {
	SchemeBuilder.Register(&Library{}, &LibraryList{})
}

// LibrarySpec is the desired number of shelves, and who has access.
type LibrarySpec struct {
	Shelves int32  `json:"shelves"`
	Access  string `json:"access,omitempty"`
	Motto   string `json:"motto,omitempty"`
}

// LibraryStatus is the observed number of shelves.
type LibraryStatus struct {
	Shelves    int32              `json:"shelves,omitempty"`
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

type Library struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              LibrarySpec   `json:"spec,omitempty"`
	Status            LibraryStatus `json:"status,omitempty"`
}

type LibraryList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Library `json:"items"`
}

func (in *Library) DeepCopy() *Library {
	out := *in
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	out.Status.Conditions = nil
	for _, each := range in.Status.Conditions {
		out.Status.Conditions = append(out.Status.Conditions, *each.DeepCopy())
	}
	return &out
}

func (in *Library) DeepCopyObject() runtime.Object { return in.DeepCopy() }

func (in *LibraryList) DeepCopyObject() runtime.Object {
	out := &LibraryList{TypeMeta: in.TypeMeta, ListMeta: *in.ListMeta.DeepCopy()}
	for i := range in.Items {
		out.Items = append(out.Items, *in.Items[i].DeepCopy())
	}
	return out
}
