import { stringifyJson } from "pintle/internal/json";
import type { Json, JsonObject } from "pintle/kinds";
import { encodeProtobuf, encodeYaml, LazyList } from "../../codec/index.ts";
import { eventLoopTurns, type Turns, yieldInTurns } from "../../turns/index.ts";
import {
  BODY_CHUNK_BYTES,
  type EncodedBody,
  getHeader,
  getQueryParameter,
  type HttpHeaders,
  type ObjectBody,
  type QueryParameters,
} from "../request/api-request.ts";
import { JSON_TYPE, PROTOBUF_TYPE } from "./negotiate.ts";
import { type LazyValue, OutgoingPage } from "./outgoing-list.ts";

const PRETTY_USER_AGENTS = /^(curl|Wget|Mozilla\/5\.0)/;

/** Encodes the body of a response in its media type. Protobuf is negotiated only for kinds that have such a form. */
export async function encodeResponseBody(body: ObjectBody, pretty: boolean): Promise<EncodedBody> {
  const { mediaType: type, encoded } = body;
  if (type === JSON_TYPE && !pretty && encoded !== undefined) return encoded.json();
  if (type === PROTOBUF_TYPE) return encoded?.protobuf?.() ?? encodeProtobuf(body.value as JsonObject);
  // Both are many times slower to write than JSON: other requests run meanwhile.
  if (type === "application/yaml") return gatherChunks(yieldInTurns(encodeYaml((await getLazyValue(body)) as Json), getTurns(body)));
  // kube-apiserver ends compact JSON with a newline, and indented JSON without one.
  if (pretty) return gatherChunks(yieldInTurns(encodeIndented(await getLazyValue(body)), getTurns(body)));
  return Buffer.from(`${stringifyJson(body.value)}\n`);
}

/** Returns all bytes of a body. */
export async function joinBody(body: EncodedBody): Promise<Uint8Array> {
  if (body instanceof Uint8Array) return body;
  const chunks: Uint8Array[] = [];
  for await (const chunk of body.chunks) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function getLazyValue(body: ObjectBody): Promise<LazyValue> {
  return body instanceof OutgoingPage ? body.lazyValue() : (body.value as LazyValue);
}

function getTurns(body: ObjectBody): Turns {
  return body instanceof OutgoingPage ? body.turns : eventLoopTurns.begin();
}

/** Gathers text into chunks; returns all bytes if they are few. */
async function gatherChunks(texts: AsyncGenerator<string>): Promise<EncodedBody> {
  const chunks = encodeChunks(texts);
  const first = await chunks.next();
  if (first.done) return Buffer.alloc(0);
  const second = await chunks.next();
  if (second.done) return first.value;
  return { chunks: prepend([first.value, second.value], chunks) };
}

async function* encodeChunks(texts: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  let parts: Buffer[] = [];
  let size = 0;
  for await (const text of texts) {
    const part = Buffer.from(text);
    parts.push(part);
    size += part.length;
    if (size < BODY_CHUNK_BYTES) continue;
    yield Buffer.concat(parts);
    parts = [];
    size = 0;
  }
  if (size > 0) yield Buffer.concat(parts);
}

async function* prepend<T>(first: readonly T[], rest: AsyncGenerator<T>): AsyncGenerator<T> {
  yield* first;
  yield* rest;
}

/** Encodes indented JSON, item by item where the value ends with a list of many. */
function* encodeIndented(value: LazyValue): Generator<string> {
  const [last, items] = Object.entries(value).at(-1) ?? [];
  if (!(items instanceof LazyList) || items.length === 0) {
    yield stringifyJson(last === undefined ? value : toPlain(value), 2);
    return;
  }
  yield stringifyJson({ ...value, [last as string]: [] }, 2).slice(0, -"]\n}".length);
  for (let index = 0; index < items.length; index++) {
    yield `${index === 0 ? "" : ","}\n    ${stringifyJson(items.at(index), 2).replaceAll("\n", "\n    ")}`;
  }
  yield "\n  ]\n}";
}

/** Replaces an empty lazy list, which is no JSON. */
function toPlain(value: LazyValue): unknown {
  return Object.fromEntries(Object.entries(value).map(([field, part]) => [field, part instanceof LazyList ? [] : part]));
}

/** Whether to indent JSON: by parameter, or by the user agents of browsers and command-line tools. */
export function isPrettyRequested(query: QueryParameters, headers: HttpHeaders): boolean {
  if (query.has("pretty")) return ["1", "t", "true"].includes(getQueryParameter(query, "pretty").toLowerCase());
  return PRETTY_USER_AGENTS.test(getHeader(headers, "user-agent") ?? "");
}
