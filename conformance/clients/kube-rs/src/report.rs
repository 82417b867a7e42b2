use std::error::Error;
use std::future::Future;
use std::time::{Duration, Instant};

use serde::Serialize;
use serde_json::json;

pub type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// Prints one step of the transcript.
pub fn report_step(step: &str, seen: impl Serialize) {
    println!("{step}\t{}", json!(seen));
}

/// Prints the Status of a refused request.
pub fn report_refusal<T>(step: &str, answer: Result<T, kube::Error>) -> Outcome<()> {
    match answer {
        Err(kube::Error::Api(status)) => {
            report_step(step, status);
            Ok(())
        }
        Err(error) => Err(error.into()),
        Ok(_) => Err(format!("{step}: expected a refusal").into()),
    }
}

/// Polls until the condition holds.
pub async fn eventually<T, F>(what: &str, mut ask: impl FnMut() -> F, is_done: impl Fn(&T) -> bool) -> Outcome<T>
where
    F: Future<Output = Result<T, kube::Error>>,
{
    let end = Instant::now() + Duration::from_secs(60);
    while Instant::now() < end {
        let answer = ask().await?;
        if is_done(&answer) {
            return Ok(answer);
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    Err(format!("{what}: not within a minute").into())
}
