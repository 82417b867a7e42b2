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
use crate::{BoxResult, counting_allocator, now_micros};

pub async fn run(client: Client, workers: bool, metadata_only: bool, strip: bool) -> BoxResult<()> {
    if workers { run_kind::<Worker>(client, metadata_only, strip).await } else { run_kind::<Pod>(client, metadata_only, strip).await }
}

async fn run_kind<K>(client: Client, metadata_only: bool, strip: bool) -> BoxResult<()>
where
    K: Resource<DynamicType = ()> + Clone + Debug + DeserializeOwned + Send + Sync + 'static,
{
    let config = watcher::Config::default().streaming_lists();
    if metadata_only {
        fill(watcher(Api::<PartialObjectMeta<K>>::all(client), config), strip).await
    } else {
        fill(watcher(Api::<K>::all(client), config), strip).await
    }
}

/// Fills a store with all objects of a kind, prints the cost, then prints each marker it sees until stdin is closed.
async fn fill<K>(events: impl Stream<Item = watcher::Result<watcher::Event<K>>> + Send + 'static, strip: bool) -> BoxResult<()>
where
    K: Resource<DynamicType = ()> + Clone + Debug + Send + Sync + 'static,
{
    let before = counting_allocator::live_bytes();
    let started = Instant::now();
    let (store, writer) = reflector::store::<K>();
    let stream = events.default_backoff().modify(move |object| {
        if strip {
            object.managed_fields_mut().clear();
        }
    });
    let print_markers = stream.reflect(writer).applied_objects().for_each(|result| {
        if let Ok(object) = result
            && object.name_any().starts_with("marker-")
        {
            println!("seen {} {}", object.name_any(), now_micros());
        }
        std::future::ready(())
    });
    let task = tokio::spawn(print_markers);
    store.wait_until_ready().await?;
    let milliseconds = started.elapsed().as_secs_f64() * 1000.0;
    let heap = counting_allocator::live_bytes().saturating_sub(before);
    println!("{}", json!({ "objects": store.len(), "milliseconds": milliseconds, "heapBytes": heap }));
    let _ = tokio::io::stdin().read(&mut [0]).await;
    task.abort();
    Ok(())
}
