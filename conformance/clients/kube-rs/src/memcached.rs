use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{Patch, PatchParams};
use kube::runtime::{conditions, wait::await_condition};
use kube::{Api, Client, CustomResource, CustomResourceExt};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::report::{Outcome, report_step};

pub const FINALIZER: &str = "rust.example.com/farewell";

#[derive(CustomResource, Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[kube(group = "rust.example.com", version = "v1", kind = "Memcached", namespaced, status = "MemcachedStatus")]
pub struct MemcachedSpec {
    #[schemars(range(min = 0))]
    pub size: i32,
}

#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct MemcachedStatus {
    pub ready: i32,
    pub observed_generation: Option<i64>,
}

/// Applies the CRD and waits until the kind is served.
pub async fn install(client: Client) -> Outcome<()> {
    let definitions = Api::<CustomResourceDefinition>::all(client);
    let name = Memcached::crd_name();
    definitions.patch(name, &PatchParams::apply("operator"), &Patch::Apply(Memcached::crd())).await?;
    await_condition(definitions.clone(), name, conditions::is_crd_established()).await?;
    report_step("definition", definitions.get(name).await?);
    Ok(())
}
