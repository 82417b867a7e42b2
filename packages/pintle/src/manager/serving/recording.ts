import type { Clock } from "../../clock/index.ts";
import { stringifyJson } from "../../json/index.ts";
import { FACTS_VERSION, type FlightRecorder } from "../../recorder/index.ts";
import type { HttpReply } from "./http-server.ts";

/** Where the recording is served, beside the metrics. */
export const RECORDING_PATH = "/recording";
/** The version of the format below. */
const RECORDING_VERSION = 1;

/**
 * Returns the recording as NDJSON: a line about it, then its facts, and last the runs that have not ended. `?since=N` leaves out the facts up to the sequence
 * N; `?since=end` leaves out all. Its size is bounded by the recorder's `maxBytes`.
 */
export function replyWithRecording(recorder: FlightRecorder, clock: Clock, url: URL): HttpReply {
  const since = url.searchParams.get("since") ?? "0";
  if (!/^(end|\d{1,15})$/.test(since)) return { status: 400, body: "since must be a number of a fact, or end\n" };
  const about = {
    format: "pintle-recording",
    version: RECORDING_VERSION,
    facts: FACTS_VERSION,
    process: recorder.processId,
    sequence: recorder.sequence,
    dropped: recorder.dropped,
    time: clock.now(),
  };
  const facts = since === "end" ? "" : recorder.text(Number(since));
  const running = since === "end" ? [] : recorder.runningRuns();
  const body = `${stringifyJson(about)}\n${facts}${running.map((run) => `${stringifyJson(run)}\n`).join("")}`;
  return { status: 200, body, type: "application/x-ndjson" };
}
