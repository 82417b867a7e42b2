//! The Memcached operator and the cache of the benchmarks on kube-rs. KUBECONFIG names the server.

mod cache;
mod counting_allocator;
mod memcached;
mod operator;
mod worker;

use kube::Client;

pub type BoxResult<T> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

#[global_allocator]
static HEAP: counting_allocator::CountingAllocator = counting_allocator::CountingAllocator;

#[tokio::main]
async fn main() -> BoxResult<()> {
    tracing_subscriber::fmt().with_writer(std::io::stderr).init();
    let args: Vec<String> = std::env::args().skip(1).collect();
    let has = |name: &str| args.iter().any(|argument| argument == name);
    let client = Client::try_default().await?;
    match args.first().map(String::as_str) {
        Some("operator") => operator::run(client).await,
        Some("cache") => cache::run(client, has("workers"), has("metadata-only"), has("strip")).await,
        _ => Err("usage: kube-rs operator | cache pods|workers [metadata-only] [strip]".into()),
    }
}

/// Microseconds since the epoch.
pub fn now_micros() -> u128 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |since| since.as_micros())
}
