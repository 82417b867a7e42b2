/**
 * The live stream, one for all tabs of a browser, which allows six connections to a server: the tab that holds the lock reads it and passes everything on.
 * A tab that missed something reads it from the server.
 */
import { signal } from "@preact/signals";
import type { FactBatch, FactsPage, Session, StreamGap, StreamReset } from "../../protocol.ts";
import { readFrom, toFailure } from "./api.ts";
import { FactColumns, MAX_FACTS } from "./fact-columns.ts";

export const session = signal<Session | undefined>(undefined);
/** "lost": what is shown is stale; the stream is being resumed. */
export const connection = signal<"connecting" | "live" | "lost">("connecting");
/** Increases when something may have changed; lists read again then. */
export const version = signal(0);
export const loginFailure = signal<string | undefined>(undefined);
export const facts = new FactColumns();
/** The newest revision, and the clock of the cluster when it was received. */
export const newest = signal<number | undefined>(undefined);
const clock = signal({ server: 0, local: 0 });

type Message =
  | { readonly name: "facts"; readonly after: number; readonly data: FactBatch }
  | { readonly name: "session"; readonly data: Session }
  | { readonly name: "gap"; readonly data: StreamGap }
  | { readonly name: "reset"; readonly data: StreamReset }
  | { readonly name: "connection"; readonly data: "live" | "lost" };

/** Lists are read again at most this often. */
const REFRESH_MS = 250;
const PAGE = 5_000;
let received = 0;
let refresh: number | undefined;
let lastRefresh = 0;

/** The time by the cluster's clock. */
export function clusterNow(): number {
  const { server, local } = clock.value;
  return session.value?.virtualClock === true ? server : server + (Date.now() - local);
}

/** Tells the lists at once, and then at most every `REFRESH_MS`. */
function changed(): void {
  if (refresh !== undefined) return;
  const wait = Math.max(0, lastRefresh + REFRESH_MS - performance.now());
  refresh = window.setTimeout(() => {
    refresh = undefined;
    lastRefresh = performance.now();
    version.value++;
  }, wait);
}

/** Reads rows after the newest one here; at first only as many as a list keeps. */
async function readFacts(): Promise<void> {
  for (let more = true; more; ) {
    const { sequence = 0, oldestSequence = 1 } = session.value ?? {};
    const from = Math.max(received, oldestSequence - 1, sequence - MAX_FACTS);
    const upTo = from + PAGE;
    const page = await readFrom<FactsPage>(`/api/facts?after=${from}&before=${upTo + 1}&limit=${PAGE}`);
    facts.append(page.rows);
    received = Math.max(received, Math.min(upTo, page.sequence));
    more = received < page.sequence;
    changed();
  }
}

let reading = Promise.resolve();
function catchUp(): void {
  reading = reading.then(readFacts).catch(() => {
    connection.value = "lost";
  });
}

function receive(message: Message): void {
  if (message.name === "connection") {
    if (message.data === "live" && connection.value === "lost") catchUp();
    connection.value = message.data;
  } else if (message.name === "session") setSession(message.data);
  else if (message.name === "facts") {
    const { data, after } = message;
    clock.value = { server: data.now, local: Date.now() };
    if (data.revision !== undefined) newest.value = data.revision;
    if (after > received) catchUp();
    else {
      facts.append(data.rows);
      received = Math.max(received, data.sequence);
    }
    if (data.rows.length > 0) changed();
  } else if (message.name === "reset") restart();
  else catchUp();
}

function setSession(value: Session): void {
  if (session.value !== undefined && session.value.recording !== value.recording) {
    restart();
    return;
  }
  session.value = value;
  clock.value = { server: value.now, local: Date.now() };
  if (value.revision !== undefined) newest.value = value.revision;
  changed();
}

/** Another recording: its sequences mean something else. */
function restart(): void {
  facts.clear();
  received = 0;
  session.value = undefined;
  readFrom<Session>("/api/session").then((value) => {
    setSession(value);
    catchUp();
  }, reportFailure);
}

function reportFailure(error: unknown): void {
  const { code, message } = toFailure(error);
  if (code === 401) loginFailure.value = message;
  else connection.value = "lost";
}

/** Reads the session, then what happened so far, then what happens. */
export async function startStream(): Promise<void> {
  const channel = new BroadcastChannel("pintle-console");
  channel.onmessage = (event: MessageEvent<Message>) => receive(event.data);
  try {
    const value = await readFrom<Session>("/api/session");
    setSession(value);
    connection.value = "live";
  } catch (error) {
    reportFailure(error);
    if (loginFailure.value !== undefined) return;
  }
  catchUp();
  const lead = () => new Promise<never>(() => readStream(channel));
  if ("locks" in navigator) void navigator.locks.request("pintle-console", lead).catch(() => undefined);
  else void lead();
}

function readStream(channel: BroadcastChannel): void {
  let last = session.value?.sequence ?? 0;
  const source = new EventSource(`/api/stream?after=${last}`);
  const pass = (message: Message) => {
    channel.postMessage(message);
    receive(message);
  };
  source.onopen = () => pass({ name: "connection", data: "live" });
  source.onerror = () => pass({ name: "connection", data: "lost" });
  for (const name of ["facts", "session", "gap", "reset"] as const) {
    source.addEventListener(name, (event) => {
      const data = JSON.parse(event.data as string) as never;
      if (name !== "facts") return pass({ name, data } as Message);
      const after = last;
      last = (data as FactBatch).sequence;
      pass({ name, after, data });
    });
  }
}
