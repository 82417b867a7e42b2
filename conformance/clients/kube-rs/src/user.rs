use std::time::Duration;

use futures::{StreamExt, TryStreamExt};
use json_patch::Patch as JsonPatch;
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use kube::api::{DeleteParams, ListParams, Patch, PatchParams, PostParams, WatchEvent, WatchParams};
use kube::runtime::{conditions, wait::await_condition};
use kube::{Api, Client, Resource};
use serde_json::{Value, json};

use crate::memcached::{Memcached, MemcachedSpec};
use crate::report::{Outcome, eventually, report_step, report_refusal};

/// The actions of a user while the operator runs.
pub async fn play(client: Client, namespace: &str) -> Outcome<()> {
    verbs(Api::namespaced(client.clone(), namespace)).await?;
    refusals(client.clone(), namespace).await?;
    memcached(client, namespace).await
}

/// Writes one ConfigMap with every verb while it is watched.
async fn verbs(configs: Api<ConfigMap>) -> Outcome<()> {
    let name = "settings";
    let none = configs.list(&ListParams::default().labels("transcript=yes")).await?;
    report_step("none yet", &none);
    let since = none.metadata.resource_version.unwrap_or_default();
    let events = configs.watch(&WatchParams::default().labels("transcript=yes").timeout(30), &since).await?;

    let params = PostParams::default();
    let body = json!({ "metadata": { "name": name, "labels": { "transcript": "yes" } }, "data": { "mode": "slow" }, "binaryData": { "raw": "AAH/" } });
    let created = configs.create(&params, &serde_json::from_value(body)?).await?;
    report_step("created", &created);
    let mut faster = created.clone();
    faster.data.get_or_insert_default().insert("mode".into(), "fast".into());
    report_step("updated", configs.replace(name, &params, &faster).await?);
    let patched = PatchParams::default();
    report_step("merge patched", configs.patch(name, &patched, &Patch::Merge(json!({ "data": { "extra": "1" } }))).await?);
    let operations: JsonPatch = serde_json::from_value(json!([{ "op": "remove", "path": "/data/extra" }]))?;
    report_step("JSON patched", configs.patch(name, &patched, &Patch::Json::<()>(operations)).await?);
    let note = Patch::Strategic(json!({ "metadata": { "annotations": { "note": "ä" } } }));
    report_step("strategically patched", configs.patch(name, &patched, &note).await?);
    let applied = |value: &str| Patch::Apply(json!({ "apiVersion": "v1", "kind": "ConfigMap", "data": { "applied": value } }));
    report_step("applied", configs.patch(name, &PatchParams::apply("applier"), &applied("yes")).await?);
    let mut tried = PatchParams::default();
    tried.dry_run = true;
    report_step("tried", configs.patch(name, &tried, &Patch::Merge(json!({ "data": { "mode": "dry" } }))).await?);
    report_refusal("conflict of appliers", configs.patch(name, &PatchParams::apply("another"), &applied("no")).await)?;
    report_refusal("conflict of writers", configs.replace(name, &params, &created).await)?;
    report_step("metadata", configs.get_metadata(name).await?);
    configs.delete(name, &DeleteParams::default()).await?;

    let seen = events.map_ok(|event| match event {
        WatchEvent::Added(it) => json!(["ADDED", it]),
        WatchEvent::Modified(it) => json!(["MODIFIED", it]),
        WatchEvent::Deleted(it) => json!(["DELETED", it]),
        WatchEvent::Bookmark(_) => Value::Null,
        WatchEvent::Error(status) => json!(["ERROR", status]),
    });
    let all = seen.try_filter(|event| std::future::ready(!event.is_null())).take(7).try_collect::<Vec<_>>();
    report_step("events", tokio::time::timeout(Duration::from_secs(20), all).await??);
    Ok(())
}

async fn refusals(client: Client, namespace: &str) -> Outcome<()> {
    let params = PostParams::default();
    let configs = Api::<ConfigMap>::namespaced(client.clone(), namespace);
    let wrong = serde_json::from_value(json!({ "metadata": { "name": "Not A Name" } }))?;
    report_refusal("a wrong name", configs.create(&params, &wrong).await)?;
    report_refusal("nothing there", Api::<Pod>::namespaced(client.clone(), namespace).get("missing").await)?;
    let empty = serde_json::from_value(json!({ "metadata": { "name": "empty" } }))?;
    report_refusal("an empty Deployment", Api::<Deployment>::namespaced(client.clone(), namespace).create(&params, &empty).await)?;
    let small = Memcached::new("small", MemcachedSpec { size: -1 });
    report_refusal("a wrong size", Api::<Memcached>::namespaced(client, namespace).create(&params, &small).await)
}

/// Follows one Memcached from creation to deletion.
async fn memcached(client: Client, namespace: &str) -> Outcome<()> {
    let name = "cache";
    let memcacheds = Api::<Memcached>::namespaced(client.clone(), namespace);
    let deployments = Api::<Deployment>::namespaced(client.clone(), namespace);
    let created = memcacheds.create(&PostParams::default(), &Memcached::new(name, MemcachedSpec { size: 2 })).await?;
    report_step("Memcached", created);
    ready(&memcacheds, &deployments, name, 2).await?;
    let resized = Patch::Merge(json!({ "spec": { "size": 3 } }));
    memcacheds.patch(name, &PatchParams::default(), &resized).await?;
    ready(&memcacheds, &deployments, name, 3).await?;
    let deleted = memcacheds.get(name).await?;
    memcacheds.delete(name, &DeleteParams::background()).await?;
    await_condition(memcacheds, name, conditions::is_deleted(&deleted.meta().uid.clone().unwrap_or_default())).await?;
    eventually("Deployment gone", || deployments.get_opt(name), |found| found.is_none()).await?;
    report_step("farewell", Api::<ConfigMap>::namespaced(client, namespace).get("farewell").await?);
    Ok(())
}

async fn ready(memcacheds: &Api<Memcached>, deployments: &Api<Deployment>, name: &str, size: i32) -> Outcome<()> {
    let is_ready = |it: &Memcached| {
        let status = it.status.clone().unwrap_or_default();
        status.ready == size && status.observed_generation == it.meta().generation
    };
    report_step("ready", eventually("ready", || memcacheds.get(name), is_ready).await?);
    let Deployment { metadata, spec, status } = deployments.get(name).await?;
    report_step("owned", json!({ "owners": metadata.owner_references, "spec": spec, "ready": status.and_then(|it| it.ready_replicas) }));
    Ok(())
}
