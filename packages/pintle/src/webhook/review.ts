import { parseJson, stringifyJson } from "../client/index.ts";
import { isObject, type JsonObject } from "../kinds/index.ts";

/** What a handler makes of a body, whatever is in it. */
export interface Answered {
  readonly body: string;
  /** Of the answer inside of the body; HTTP's own is always 200. */
  readonly code: number;
  /** What a webhook threw that was not a no. */
  readonly bug?: unknown;
}

/** A review as it came: what it asks for, and in which version the answer must be. */
export type Review =
  | { readonly request: JsonObject; readonly uid: string; readonly apiVersion: string }
  | { readonly problem: string; readonly code: number; readonly uid: string; readonly apiVersion: string };

/** The review in a body. Whatever is wrong with it, the uid is found if it is there at all. */
export function review(bytes: Uint8Array, kind: string, apiVersions: readonly string[]): Review {
  const [newest = ""] = apiVersions;
  const wrong = (problem: string, uid: string, apiVersion = newest): Review => ({ problem, code: 400, uid, apiVersion });
  if (bytes.length === 0) return wrong("the body is empty", "");
  let body: unknown;
  try {
    body = parseJson(bytes);
  } catch (error) {
    return wrong(`the body is not JSON: ${(error as Error).message}`, uidIn(bytes));
  }
  if (!isObject(body)) return wrong(`the body is not a ${kind}`, "");
  const { apiVersion, request } = body;
  const uid = isObject(request) && typeof request["uid"] === "string" ? request["uid"] : "";
  if (typeof apiVersion !== "string" || !apiVersions.includes(apiVersion) || body["kind"] !== kind)
    return wrong(`the body is a ${String(apiVersion)} ${String(body["kind"])}: send ${kind} of ${apiVersions.join(" or ")}`, uid);
  if (!isObject(request)) return wrong(`the ${kind} has no request`, uid, apiVersion);
  if (uid === "") return wrong(`the request of the ${kind} has no uid`, uid, apiVersion);
  return { request, uid, apiVersion };
}

const START = 4096;

/** The uid of a review that cannot be parsed, from its beginning. */
export function uidIn(bytes: Uint8Array): string {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, START)).toString("latin1");
  return /"request"\s*:\s*\{\s*"uid"\s*:\s*"([-\w.:]{1,128})"/.exec(start)?.[1] ?? "";
}

export function reviewText(kind: string, apiVersion: string, response: JsonObject): string {
  return stringifyJson({ apiVersion, kind, response });
}
