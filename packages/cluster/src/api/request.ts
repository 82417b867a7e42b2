import type { Duplex } from "node:stream";
import type { Channel } from "pintle/client";
import type { JsonObject } from "pintle/kinds";
import type { Clock } from "pintle/queue";
import type { UserInfo } from "./user.ts";

/** A request below HTTP: authenticated, its body not yet understood. */
export interface ApiRequest {
  readonly method: string;
  /** Absolute, segments still percent-encoded. */
  readonly path: string;
  readonly query: Query;
  /** Lower-case names. */
  readonly headers: Headers;
  readonly user: UserInfo;
  readonly body: RequestBody | undefined;
  /**
   * Aborts when the caller leaves; made when it is first asked for. No getter: V8 gives every object with a getter of its own a hidden
   * class of its own, which holds what the getter sees, here a whole exchange, until all garbage is collected.
   */
  signal(): AbortSignal;
  /** By which clock a watch gets its bookmarks and its end; default: the server's. */
  readonly liveness?: Clock | undefined;
  /** Told what admission has to say to those who look at requests later. */
  readonly annotate?: ((key: string, value: string) => void) | undefined;
}

export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;
/** What arrived over the wire, or a JSON value from inside this process; the latter is never changed or frozen. */
export type RequestBody = { readonly bytes: Uint8Array } | { readonly json: unknown };

/** Query parameters; every value of a repeated name, in order. */
export type Query = ReadonlyMap<string, readonly string[]>;

export interface ApiAnswer {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Headers;
  readonly body: AnswerBody;
}

export type AnswerBody =
  | JsonBody
  | { readonly type: "bytes"; readonly bytes: Uint8Array }
  | { readonly type: "watch"; readonly stream: WatchStream }
  /** Bytes as they come, each part sent at once. */
  | { readonly type: "stream"; readonly chunks: AsyncIterable<Uint8Array> }
  /** The request becomes a WebSocket, whose protocol the headers tell: messages both ways. Resolves when it is over; never rejects. */
  | { readonly type: "messages"; serve(channel: Channel): Promise<void> }
  /** The connection itself from here on, whatever is spoken over it. Resolves when it is over; never rejects. */
  | { readonly type: "wire"; serve(wire: Duplex): Promise<void> }
  | { readonly type: "none" }
  /** The connection breaks: in the middle of this body or, without one, before anything was answered. */
  | { readonly type: "cut"; readonly of?: Exclude<AnswerBody, { readonly type: "cut" }> | undefined };

export interface JsonBody {
  readonly type: "json";
  readonly value: unknown;
  readonly as: MediaType;
  /** The value where its text is at hand: whoever needs no more than this should not ask for the value. */
  readonly written?: ObjectText | undefined;
}

/** The text of an object or a list, and what of it can be said without reading it. */
export interface ObjectText {
  readonly metadata: { readonly name?: string; readonly resourceVersion?: string };
  /** With a newline at its end. Not to be changed. */
  json(): Uint8Array;
  protobuf?(): Uint8Array;
}

export type MediaType = "application/json" | "application/yaml" | "application/vnd.kubernetes.protobuf";

/** A watch that has begun: nothing is lost between this value and `open`. */
export interface WatchStream {
  /** Delivers what has gathered, then what comes. Returns how to stop. */
  open(sink: WatchSink): () => void;
}

export interface WatchSink {
  event(event: WatchEvent): void;
  /** No more events; not called after a stop. */
  end(): void;
  /** The connection breaks; nothing comes after it, and whoever reads learns that this was no end. */
  cut(): void;
}

export type WatchEventType = "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR";

/** One line of a watch; the same value goes to all watchers that show it alike. */
export interface WatchEvent {
  readonly type: WatchEventType;
  readonly object: JsonObject;
  /** As JSON text with its newline, made at most once. */
  line(): string;
  /** As it goes over the wire: the same in UTF-8, or in protobuf for those who watch so. Made at most once. */
  bytes(): Uint8Array;
}

export function header(headers: Headers, name: string): string | undefined {
  const value = headers[name];
  return typeof value === "string" ? value : value?.[0];
}

export function param(query: Query, name: string): string {
  return query.get(name)?.[0] ?? "";
}
