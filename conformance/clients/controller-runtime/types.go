package main

import (
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var groupVersion = schema.GroupVersion{Group: "go.example.com", Version: "v1"}

// Memcached is a number of memcached servers.
type Memcached struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              MemcachedSpec   `json:"spec,omitempty"`
	Status            MemcachedStatus `json:"status,omitempty"`
}

type MemcachedSpec struct {
	Size int32 `json:"size"`
}

type MemcachedStatus struct {
	Ready              int32 `json:"ready"`
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
}

type MemcachedList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Memcached `json:"items"`
}

func (in *Memcached) DeepCopyObject() runtime.Object {
	out := *in
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	return &out
}

func (in *MemcachedList) DeepCopyObject() runtime.Object {
	out := *in
	in.ListMeta.DeepCopyInto(&out.ListMeta)
	out.Items = make([]Memcached, len(in.Items))
	for i := range in.Items {
		out.Items[i] = *in.Items[i].DeepCopyObject().(*Memcached)
	}
	return &out
}

func addMemcached(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(groupVersion, &Memcached{}, &MemcachedList{})
	metav1.AddToGroupVersion(scheme, groupVersion)
	return nil
}

func definition() *apiextensions.CustomResourceDefinition {
	integer := apiextensions.JSONSchemaProps{Type: "integer"}
	least := 0.0
	size := apiextensions.JSONSchemaProps{Type: "integer", Minimum: &least}
	object := func(properties map[string]apiextensions.JSONSchemaProps) apiextensions.JSONSchemaProps {
		return apiextensions.JSONSchemaProps{Type: "object", Properties: properties}
	}
	schema := object(map[string]apiextensions.JSONSchemaProps{
		"spec":   object(map[string]apiextensions.JSONSchemaProps{"size": size}),
		"status": object(map[string]apiextensions.JSONSchemaProps{"ready": integer, "observedGeneration": integer}),
	})
	return &apiextensions.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: "memcacheds." + groupVersion.Group},
		Spec: apiextensions.CustomResourceDefinitionSpec{
			Group: groupVersion.Group,
			Scope: apiextensions.NamespaceScoped,
			Names: apiextensions.CustomResourceDefinitionNames{Plural: "memcacheds", Kind: "Memcached"},
			Versions: []apiextensions.CustomResourceDefinitionVersion{{
				Name:         groupVersion.Version,
				Served:       true,
				Storage:      true,
				Schema:       &apiextensions.CustomResourceValidation{OpenAPIV3Schema: &schema},
				Subresources: &apiextensions.CustomResourceSubresources{Status: &apiextensions.CustomResourceSubresourceStatus{}},
			}},
		},
	}
}
