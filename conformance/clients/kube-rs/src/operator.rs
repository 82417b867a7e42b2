use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{DeleteParams, Patch, PatchParams};
use kube::runtime::controller::{Action, Controller};
use kube::runtime::finalizer::{Event, finalizer};
use kube::runtime::watcher;
use kube::{Api, Client, Resource, ResourceExt};
use serde_json::{Value, json};

use crate::memcached::{FINALIZER, Memcached, MemcachedStatus};

type Failed = kube::runtime::finalizer::Error<kube::Error>;

/// Reconciles a Deployment of the desired size for every Memcached and finalizes it.
pub async fn run(client: Client, namespace: String) {
    let memcacheds = Api::<Memcached>::namespaced(client.clone(), &namespace);
    let deployments = Api::<Deployment>::namespaced(client.clone(), &namespace);
    // One list is streamed, the other one comes in pages.
    Controller::new(memcacheds, watcher::Config::default().streaming_lists())
        .owns(deployments, watcher::Config::default())
        .run(reconcile, |_, error, _| retry(error), Arc::new(client))
        .for_each(|_| std::future::ready(()))
        .await;
}

fn retry(error: &Failed) -> Action {
    eprintln!("{error:?}");
    Action::requeue(Duration::from_millis(200))
}

async fn reconcile(memcached: Arc<Memcached>, client: Arc<Client>) -> Result<Action, Failed> {
    let client = (*client).clone();
    let namespace = memcached.namespace().unwrap_or_default();
    let memcacheds = Api::<Memcached>::namespaced(client.clone(), &namespace);
    finalizer(&memcacheds, FINALIZER, memcached, |event| async {
        match event {
            Event::Apply(memcached) => apply(client, &namespace, &memcacheds, &memcached).await,
            Event::Cleanup(memcached) => farewell(client, &namespace, &memcached).await,
        }
    })
    .await
}

async fn apply(client: Client, namespace: &str, memcacheds: &Api<Memcached>, memcached: &Memcached) -> Result<Action, kube::Error> {
    let name = memcached.name_any();
    let deployments = Api::<Deployment>::namespaced(client, namespace);
    let as_operator = PatchParams::apply("operator").force();
    let deployment = deployments.patch(&name, &as_operator, &Patch::Apply(wanted(&name, memcached))).await?;
    let ready = deployment.status.and_then(|status| status.ready_replicas).unwrap_or(0);
    let status = MemcachedStatus { ready, observed_generation: memcached.meta().generation };
    if memcached.status.as_ref() != Some(&status) {
        let patch = Patch::Merge(json!({ "status": status }));
        memcacheds.patch_status(&name, &PatchParams::default(), &patch).await?;
    }
    Ok(Action::await_change())
}

async fn farewell(client: Client, namespace: &str, memcached: &Memcached) -> Result<Action, kube::Error> {
    // May run twice: applying an existing object and deleting a missing one must succeed.
    let note = Patch::Apply(json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "farewell" } }));
    let configs = Api::<ConfigMap>::namespaced(client.clone(), namespace);
    configs.patch("farewell", &PatchParams::apply("operator"), &note).await?;
    let deployments = Api::<Deployment>::namespaced(client, namespace);
    match deployments.delete(&memcached.name_any(), &DeleteParams::background()).await {
        Err(kube::Error::Api(status)) if status.code == 404 => {}
        other => drop(other?),
    }
    Ok(Action::await_change())
}

fn wanted(name: &str, memcached: &Memcached) -> Value {
    let labels = json!({ "app": name });
    json!({
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": { "name": name, "ownerReferences": [memcached.controller_owner_ref(&())] },
        "spec": {
            "replicas": memcached.spec.size,
            "selector": { "matchLabels": labels },
            "template": {
                "metadata": { "labels": labels },
                "spec": { "containers": [{ "name": "memcached", "image": "memcached:1.6" }] },
            },
        },
    })
}
