use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
use k8s_openapi::jiff::Timestamp;
use kube::api::{Patch, PatchParams};
use kube::runtime::controller::{Action, Config, Controller};
use kube::runtime::reflector::{self, ObjectRef, Store};
use kube::runtime::{WatchStreamExt, predicates, watcher};
use kube::{Api, Client, Resource, ResourceExt};
use serde_json::{Value, json};

use crate::memcached::{Memcached, MemcachedStatus};
use crate::{BoxResult, now_micros};

const LABEL: &str = "cache.example.com/memcached";
const MANAGER: &str = "memcached-operator";

struct Context {
    client: Client,
    pods: Store<Pod>,
}

/// Streaming lists, a generation predicate, pods cached by label, ten concurrent reconciles.
pub async fn run(client: Client) -> BoxResult<()> {
    let config = watcher::Config::default().streaming_lists();
    let (store, writer) = reflector::store();
    let changed = watcher(Api::<Memcached>::all(client.clone()), config.clone())
        .default_backoff()
        .reflect(writer)
        .applied_objects()
        .predicate_filter(predicates::generation, Default::default());
    let (pods, writer) = reflector::store();
    let pod_events = watcher(Api::<Pod>::all(client.clone()), config.clone().labels(LABEL))
        .default_backoff()
        .reflect(writer)
        .touched_objects();
    Controller::for_stream(changed, store)
        .owns(Api::<Deployment>::all(client.clone()), config)
        .watches_stream(pod_events, |pod| {
            let owner = pod.labels().get(LABEL)?;
            Some(ObjectRef::<Memcached>::new(owner).within(&pod.namespace()?))
        })
        .with_config(Config::default().concurrency(10))
        .shutdown_on_signal()
        .run(reconcile, retry, Arc::new(Context { client, pods }))
        .for_each(|_| std::future::ready(()))
        .await;
    Ok(())
}

fn retry(memcached: Arc<Memcached>, error: &kube::Error, _: Arc<Context>) -> Action {
    tracing::warn!(name = memcached.name_any(), %error, "reconcile failed");
    Action::requeue(Duration::from_secs(1))
}

async fn reconcile(memcached: Arc<Memcached>, context: Arc<Context>) -> Result<Action, kube::Error> {
    let name = memcached.name_any();
    let namespace = memcached.namespace().unwrap_or_default();
    // The latency benchmark reads when a change reaches the reconciler.
    if let Some(generation) = memcached.meta().generation.filter(|generation| *generation > 1) {
        println!("{name} {generation} {}", now_micros());
    }
    let as_operator = PatchParams::apply(MANAGER).force();
    let deployments = Api::<Deployment>::namespaced(context.client.clone(), &namespace);
    let deployment = deployments.patch(&name, &as_operator, &Patch::Apply(deployment_for(&name, &memcached))).await?;
    let status = status_for(&name, &memcached, &deployment, &context.pods);
    if memcached.status.as_ref() == Some(&status) {
        return Ok(Action::await_change());
    }
    tracing::info!(name, "updating status");
    let memcacheds = Api::<Memcached>::namespaced(context.client.clone(), &namespace);
    let body = json!({ "apiVersion": "cache.example.com/v1alpha1", "kind": "Memcached", "status": status });
    memcacheds.patch_status(&name, &as_operator, &Patch::Apply(body)).await?;
    Ok(Action::await_change())
}

fn status_for(name: &str, memcached: &Memcached, deployment: &Deployment, pods: &Store<Pod>) -> MemcachedStatus {
    let mut nodes: Vec<String> = pods
        .state()
        .iter()
        .filter(|pod| pod.namespace() == memcached.namespace() && pod.labels().get(LABEL).is_some_and(|owner| owner == name))
        .map(|pod| pod.name_any())
        .collect();
    nodes.sort();
    let size = memcached.spec.size;
    let ready = deployment.status.as_ref().and_then(|status| status.ready_replicas).unwrap_or(0);
    let is_ready = ready >= size;
    let state = if is_ready { "True" } else { "False" };
    let before = memcached.status.as_ref().and_then(|status| status.conditions.first());
    let since = before.filter(|condition| condition.status == state).map(|condition| condition.last_transition_time.clone());
    let available = Condition {
        type_: "Available".into(),
        status: state.into(),
        reason: if is_ready { "Ready" } else { "PodsMissing" }.into(),
        message: format!("{ready} of {size} pods are ready"),
        observed_generation: memcached.meta().generation,
        last_transition_time: since.unwrap_or_else(current_second),
    };
    MemcachedStatus {
        replicas: nodes.len() as i32,
        nodes,
        selector: format!("{LABEL}={name}"),
        observed_generation: memcached.meta().generation,
        conditions: vec![available],
    }
}

/// The current time in seconds, the precision the server stores, so that an unchanged status compares equal.
fn current_second() -> Time {
    Time(Timestamp::from_second(Timestamp::now().as_second()).unwrap_or_default())
}

fn deployment_for(name: &str, memcached: &Memcached) -> Value {
    let labels = json!({ "app.kubernetes.io/name": "memcached", LABEL: name });
    json!({
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": { "name": name, "labels": labels, "ownerReferences": [memcached.controller_owner_ref(&())] },
        "spec": {
            "replicas": memcached.spec.size,
            "selector": { "matchLabels": { LABEL: name } },
            "template": {
                "metadata": { "labels": labels },
                "spec": { "containers": [{
                    "name": "memcached",
                    "image": memcached.spec.image,
                    "args": ["memcached", "-m", "64", "-o", "modern"],
                    "ports": [{ "name": "memcached", "containerPort": 11211 }],
                }] },
            },
        },
    })
}
