// Package v1 is a kind with a field of each built-in type whose schema is compared with that of pintle/fields.
// +groupName=fields.example.com
// +versionName=v1
package v1

import (
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// +kubebuilder:object:root=true
type App struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              AppSpec `json:"spec"`
}

// The JSON names are the ids of pintle/fields.
type AppSpec struct {
	PodTemplateSpec           corev1.PodTemplateSpec           `json:"v1/PodTemplateSpec"`
	PersistentVolumeClaimSpec corev1.PersistentVolumeClaimSpec `json:"v1/PersistentVolumeClaimSpec"`
	ServiceSpec               corev1.ServiceSpec               `json:"v1/ServiceSpec"`
	PodFailurePolicy          batchv1.PodFailurePolicy         `json:"batch/v1/PodFailurePolicy"`
	SuccessPolicy             batchv1.SuccessPolicy            `json:"batch/v1/SuccessPolicy"`
	DeploymentStrategy        appsv1.DeploymentStrategy        `json:"apps/v1/DeploymentStrategy"`
	StatefulSetOrdinals       appsv1.StatefulSetOrdinals       `json:"apps/v1/StatefulSetOrdinals"`
	MetricSpec                autoscalingv2.MetricSpec         `json:"autoscaling/v2/MetricSpec"`
	IngressSpec               networkingv1.IngressSpec         `json:"networking/v1/IngressSpec"`
	NetworkPolicySpec         networkingv1.NetworkPolicySpec   `json:"networking/v1/NetworkPolicySpec"`
	PodDisruptionBudgetSpec   policyv1.PodDisruptionBudgetSpec `json:"policy/v1/PodDisruptionBudgetSpec"`
	PolicyRule                rbacv1.PolicyRule                `json:"rbac/v1/PolicyRule"`
	LabelSelector             metav1.LabelSelector             `json:"meta/v1/LabelSelector"`
}
