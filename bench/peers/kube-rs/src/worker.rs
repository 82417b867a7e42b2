use k8s_openapi::api::core::v1::{PodSpec, PodStatus};
use kube::CustomResource;
use serde::{Deserialize, Serialize};

/// A custom resource with the fields of a Pod.
#[derive(CustomResource, Clone, Debug, Deserialize, Serialize)]
#[kube(group = "bench.example.com", version = "v1", kind = "Worker", namespaced, status = "PodStatus", schema = "disabled")]
pub struct WorkerSpec {
    #[serde(flatten)]
    pub pod: PodSpec,
}
