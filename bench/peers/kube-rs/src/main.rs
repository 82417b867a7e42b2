//! The same operator and caches as the other peers have, on kube-rs. The server comes as KUBECONFIG.

mod cache;
mod counted;
mod memcached;
mod operator;
mod worker;

use kube::Client;

pub type Outcome<T> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

#[global_allocator]
static HEAP: counted::Counted = counted::Counted;

#[tokio::main]
async fn main() -> Outcome<()> {
    tracing_subscriber::fmt().with_writer(std::io::stderr).init();
    let args: Vec<String> = std::env::args().skip(1).collect();
    let has = |word: &str| args.iter().any(|each| each == word);
    let client = Client::try_default().await?;
    match args.first().map(String::as_str) {
        Some("operator") => operator::run(client).await,
        Some("cache") => cache::run(client, has("workers"), has("metadata-only"), has("strip")).await,
        _ => Err("usage: kube-rs operator | cache pods|workers [metadata-only] [strip]".into()),
    }
}

/// Microseconds since 1970.
pub fn now() -> u128 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |since| since.as_micros())
}
