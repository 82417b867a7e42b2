// Package v1 is where bench/definitions puts the types that definitions are made of.
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

var _ metav1.ObjectMeta
