use std::fmt::Debug;
use std::time::Instant;

use futures::{Stream, StreamExt};
use k8s_openapi::api::core::v1::Pod;
use kube::core::PartialObjectMeta;
use kube::runtime::reflector;
use kube::runtime::{WatchStreamExt, watcher};
use kube::{Api, Client, Resource, ResourceExt};
use serde::de::DeserializeOwned;
use serde_json::json;
use tokio::io::AsyncReadExt;

use crate::worker::Worker;
use crate::{Outcome, counted, now};

pub async fn run(client: Client, workers: bool, metadata_only: bool, strip: bool) -> Outcome<()> {
    if workers { of::<Worker>(client, metadata_only, strip).await } else { of::<Pod>(client, metadata_only, strip).await }
}

async fn of<K>(client: Client, metadata_only: bool, strip: bool) -> Outcome<()>
where
    K: Resource<DynamicType = ()> + Clone + Debug + DeserializeOwned + Send + Sync + 'static,
{
    let config = watcher::Config::default().streaming_lists();
    if metadata_only {
        kept(watcher(Api::<PartialObjectMeta<K>>::all(client), config), strip).await
    } else {
        kept(watcher(Api::<K>::all(client), config), strip).await
    }
}

/// Lists everything of one kind, says what that took, then which markers it sees, and stays until its input ends.
async fn kept<K>(events: impl Stream<Item = watcher::Result<watcher::Event<K>>> + Send + 'static, strip: bool) -> Outcome<()>
where
    K: Resource<DynamicType = ()> + Clone + Debug + Send + Sync + 'static,
{
    let before = counted::live();
    let started = Instant::now();
    let (store, writer) = reflector::store::<K>();
    let stream = events.default_backoff().modify(move |object| {
        if strip {
            object.managed_fields_mut().clear();
        }
    });
    let follow = stream.reflect(writer).applied_objects().for_each(|seen| {
        if let Ok(object) = seen
            && object.name_any().starts_with("marker-")
        {
            println!("seen {} {}", object.name_any(), now());
        }
        std::future::ready(())
    });
    let following = tokio::spawn(follow);
    store.wait_until_ready().await?;
    let milliseconds = started.elapsed().as_secs_f64() * 1000.0;
    let heap = counted::live().saturating_sub(before);
    println!("{}", json!({ "objects": store.len(), "milliseconds": milliseconds, "heapBytes": heap }));
    let _ = tokio::io::stdin().read(&mut [0]).await;
    following.abort();
    Ok(())
}
