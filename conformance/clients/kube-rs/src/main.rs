//! A kube-rs operator and its user in one program: prints what they observe of an API server to stdout, a line per step.
//! The only argument is the namespace; KUBECONFIG names the server.

mod lease;
mod memcached;
mod operator;
mod report;
mod user;

use k8s_openapi::api::core::v1::Namespace;
use kube::api::{ListParams, PostParams};
use kube::{Api, Client, ResourceExt};

use crate::report::{Outcome, report_step};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Outcome<()> {
    let namespace = std::env::args().nth(1).ok_or("which namespace?")?;
    let client = Client::try_default().await?;
    let namespaces = Api::<Namespace>::all(client.clone());
    let own: Namespace = serde_json::from_value(serde_json::json!({ "metadata": { "name": namespace } }))?;
    namespaces.create(&PostParams::default(), &own).await?;
    let listed = namespaces.list(&ListParams::default()).await?;
    let names = listed.iter().map(|each| each.name_any()).filter(|name| name == "default" || *name == namespace);
    report_step("namespaces", names.collect::<Vec<_>>());

    memcached::install(client.clone()).await?;
    let lease = lease::Lease::take(client.clone(), &namespace).await?;
    let operator = tokio::spawn(operator::run(client.clone(), namespace.clone()));
    user::play(client, &namespace).await?;
    operator.abort();
    lease.release().await
}
