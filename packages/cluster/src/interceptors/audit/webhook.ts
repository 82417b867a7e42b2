import { createTransport, loadClusterAccess, type Transport } from "pintle/client";
import { type Clock, seededRandom } from "pintle/internal/clock";
import { PintleError, runInBackground } from "pintle/internal/errors";
import { parseJson } from "pintle/internal/json";

/** A backend that receives audit events in batches, as the mode `batch` of kube-apiserver. Defaults are kube-apiserver's. */
export interface AuditWebhookOptions {
  /** A file in the form of a kubeconfig: its current context names the backend and the credentials for it. */
  readonly config: string;
  /** Events that wait; further ones are dropped. Default: 10,000, and never more than 64 MiB. */
  readonly bufferSize?: number | undefined;
  /** Events in one request. Default: 400. */
  readonly maxBatchSize?: number | undefined;
  /** Milliseconds that the first event of a batch may wait for more. Default: 30,000. */
  readonly maxBatchWait?: number | undefined;
  /** Requests per second. Default: 10. */
  readonly throttleQps?: number | undefined;
  /** Requests at once after a time without any. Default: 15. */
  readonly throttleBurst?: number | undefined;
  /** Milliseconds before the first retry. Default: 10,000. */
  readonly initialBackoff?: number | undefined;
}

/** Sends audit events to a backend. */
export interface AuditWebhook {
  /** Buffers the event, one line of JSON. Never waits and never throws. */
  append(line: string): void;
  /** Sends what is buffered, once and for at most some seconds. */
  close(): Promise<void>;
}

/** Sends an EventList; rejects if the backend does not accept it. */
export type PostEvents = (list: object, signal: AbortSignal) => Promise<void>;

const MAX_BUFFERED_CHARACTERS = 64 * 1024 * 1024;
/** Writing a batch holds up other requests. */
const MAX_BATCH_CHARACTERS = 1024 * 1024;
/** As WithExponentialBackoff of the webhook client. */
const ATTEMPTS = 5;
const BACKOFF_FACTOR = 1.5;
const BACKOFF_JITTER = 0.2;
const POST_TIMEOUT_MS = 30_000;
const CLOSE_TIMEOUT_MS = 5_000;

/** Reads the kubeconfig. Throws PintleError. */
export async function createWebhookPost(config: string): Promise<PostEvents> {
  let transport: Transport;
  try {
    transport = await createTransport(await loadClusterAccess({ kubeconfig: config }));
  } catch (error) {
    throw new PintleError("PINTLE6562", `cannot read the audit webhook's kubeconfig ${config}: ${(error as Error).message}`, {
      cause: error,
    });
  }
  return async (list, signal) => {
    const headers = { "content-type": "application/json" };
    const response = await transport.request({ method: "POST", path: "", headers, body: list, signal });
    await response.json().catch(() => undefined);
    if (response.status < 200 || response.status >= 300) {
      throw new PintleError("PINTLE6563", `the audit webhook responded with ${response.status}`);
    }
  };
}

/** Starts to send events in the background. */
export function openAuditWebhook(
  options: Omit<AuditWebhookOptions, "config">,
  post: PostEvents,
  clock: Clock,
  report: (problem: string) => void,
): AuditWebhook {
  const { bufferSize = 10_000, maxBatchSize = 400, maxBatchWait = 30_000, initialBackoff = 10_000 } = options;
  const { throttleQps = 10, throttleBurst = 15 } = options;
  const jitter = seededRandom(clock.now());
  const stopped = new AbortController();
  const buffer: string[] = [];
  let characters = 0;
  let dropped = 0;
  let isRunning = false;
  let wakeUp = () => {};
  let finished: Promise<void> = Promise.resolve();
  let tokens = throttleBurst;
  let tokensAt = clock.monotonic();

  const isBatchFull = () => buffer.length >= maxBatchSize || characters >= MAX_BATCH_CHARACTERS;
  const waitForBatch = async () => {
    if (isBatchFull()) return;
    const over = new AbortController();
    const full = new Promise<void>((resolve) => (wakeUp = () => isBatchFull() && resolve()));
    await Promise.race([full, sleepQuietly(maxBatchWait, AbortSignal.any([over.signal, stopped.signal]))]);
    over.abort();
  };
  const waitForToken = async () => {
    const now = clock.monotonic();
    tokens = Math.min(throttleBurst, tokens + ((now - tokensAt) / 1000) * throttleQps);
    tokensAt = now;
    tokens -= 1;
    if (tokens < 0) await sleepQuietly((-tokens / throttleQps) * 1000, stopped.signal);
  };
  const sleepQuietly = (ms: number, signal: AbortSignal) => clock.sleep(ms, signal).catch(() => {});
  const takeBatch = (): readonly string[] => {
    let size = 0;
    let count = 0;
    while (count < Math.min(buffer.length, maxBatchSize) && (count === 0 || size < MAX_BATCH_CHARACTERS)) size += buffer[count++]!.length;
    characters -= size;
    return buffer.splice(0, count);
  };
  const send = async (batch: readonly string[]) => {
    const list = {
      kind: "EventList",
      apiVersion: "audit.k8s.io/v1",
      metadata: {},
      items: batch.map((line) => parseJson(Buffer.from(line))),
    };
    for (let attempt = 1, backoff = initialBackoff; ; attempt++, backoff *= BACKOFF_FACTOR) {
      try {
        await post(list, AbortSignal.timeout(stopped.signal.aborted ? CLOSE_TIMEOUT_MS : POST_TIMEOUT_MS));
        return;
      } catch (error) {
        if (attempt < ATTEMPTS && !stopped.signal.aborted) await sleepQuietly(backoff * (1 + BACKOFF_JITTER * jitter()), stopped.signal);
        else
          return report(
            `cannot send ${batch.length} audit events to the webhook: ${error instanceof Error ? error.message : String(error)}`,
          );
      }
    }
  };
  const run = async () => {
    while (buffer.length > 0) {
      if (!stopped.signal.aborted) await waitForBatch();
      if (!stopped.signal.aborted) await waitForToken();
      await send(takeBatch());
      if (dropped > 0) report(`the buffer for the audit webhook was full: ${dropped} events are lost`);
      dropped = 0;
    }
    isRunning = false;
  };
  return {
    append(line) {
      if (stopped.signal.aborted) return;
      if (buffer.length >= bufferSize || characters + line.length > MAX_BUFFERED_CHARACTERS) {
        dropped++;
        return;
      }
      buffer.push(line);
      characters += line.length;
      wakeUp();
      if (isRunning) return;
      isRunning = true;
      finished = run();
      runInBackground(finished, (error) => report(`the audit webhook failed: ${String(error)}`));
    },
    async close() {
      stopped.abort();
      const late = new AbortController();
      await Promise.race([finished.catch(() => {}), clock.sleep(CLOSE_TIMEOUT_MS, late.signal).catch(() => {})]);
      late.abort();
    },
  };
}
