import type { ServerResponse } from "node:http";
import type { Clock } from "pintle/internal/clock";
import { stringifyJson } from "pintle/internal/json";
import type { FactBatch, Session } from "../protocol.ts";
import { getSession, type View } from "../routes/index.ts";

const BATCH_MS = 100;
const HEARTBEAT_MS = 15_000;
/** Beside facts, the state of the operator, rules and forks can change. */
const SESSION_MS = 1_000;
/** Rows of one batch; more follow at once. */
const MAX_BATCH = 2_000;
/** What may wait for a slow reader before its connection is closed; it resumes with the last id. */
const MAX_WAITING_BYTES = 8 * 1024 * 1024;

export interface EventStreamOptions {
  readonly view: View;
  readonly version: string;
  readonly clock: Clock;
  /** The last sequence that the page has; undefined: nothing, so the stream begins with what comes. */
  readonly after: number | undefined;
  /** The recording that the page has; undefined: none. */
  readonly recording: string | undefined;
  /** Called before each batch. */
  readonly onBeforeRead?: (() => Promise<void>) | undefined;
}

/** Sends rows of facts as Server-Sent Events until the connection or `signal` ends: batches at most every 100 ms. */
export async function streamFacts(response: ServerResponse, options: EventStreamOptions, signal: AbortSignal): Promise<void> {
  const { view, version, clock, onBeforeRead } = options;
  const { index, source } = view;
  const send = (event: string, data: unknown, id?: number) => {
    if (response.writableLength > MAX_WAITING_BYTES) response.destroy();
    else response.write(`${id === undefined ? "" : `id: ${source.recording.id}.${id}\n`}event: ${event}\ndata: ${stringifyJson(data)}\n\n`);
  };
  response.write("retry: 1000\n\n");
  let sent = options.after ?? index.sequence;
  if (options.recording !== undefined && options.recording !== source.recording.id) {
    send("reset", { recording: source.recording.id });
    sent = index.sequence;
  } else if (sent + 1 < index.oldestSequence && index.rows.length > 0) {
    send("gap", { oldestSequence: index.oldestSequence });
    sent = index.oldestSequence - 1;
  }
  let lastSession = "";
  const sendSession = () => {
    const session = getSession(view, version);
    const { now: _, revision: __, sequence: ___, oldestSequence: ____, oldestRevision: _____, ...stable } = session;
    const text = stringifyJson(stable);
    if (text === lastSession) return;
    lastSession = text;
    send("session", session satisfies Session);
  };
  let heartbeatAt = clock.monotonic() + HEARTBEAT_MS;
  let checked = { sequence: -1, at: 0 };
  while (!signal.aborted && !response.destroyed) {
    await onBeforeRead?.();
    index.update();
    if (checked.sequence !== index.sequence || clock.monotonic() - checked.at >= SESSION_MS) {
      checked = { sequence: index.sequence, at: clock.monotonic() };
      sendSession();
    }
    const from = firstAfter(index.rows, sent);
    const rows = index.rows.slice(from, from + MAX_BATCH);
    const isMore = from + rows.length < index.rows.length;
    const last = isMore ? rows.at(-1)!.sequence : index.sequence;
    if (last > sent) {
      sent = last;
      const batch: FactBatch = { rows, sequence: sent, revision: source.state()?.revision, now: source.now() };
      send("facts", batch, sent);
      heartbeatAt = clock.monotonic() + HEARTBEAT_MS;
    } else if (clock.monotonic() >= heartbeatAt) {
      response.write(":\n\n");
      heartbeatAt = clock.monotonic() + HEARTBEAT_MS;
    }
    if (!isMore) await clock.sleep(BATCH_MS, signal).catch(() => {});
  }
}

function firstAfter(rows: View["index"]["rows"], sequence: number): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (rows[middle]!.sequence <= sequence) low = middle + 1;
    else high = middle;
  }
  return low;
}
