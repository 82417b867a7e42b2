import { isJsonObject, parseJson, stringifyJson } from "../../json/index.ts";
import type { JsonObject } from "../../kinds/index.ts";

/** The result of handling the body of a review. */
export interface ReviewOutcome {
  readonly body: string;
  /** The status code inside the review response; the HTTP status is always 200. */
  readonly code: number;
  /** The unexpected error that the webhook threw; absent if it threw none. */
  readonly thrown?: unknown;
}

/** A parsed review: its request, and the version of the response. */
export type ParsedReview =
  | { readonly request: JsonObject; readonly uid: string; readonly apiVersion: string }
  | { readonly problem: string; readonly code: number; readonly uid: string; readonly apiVersion: string };

/** Parses the review in a body. The uid is found in malformed reviews too, if they contain it. */
export function parseReview(bytes: Uint8Array, kind: string, apiVersions: readonly string[]): ParsedReview {
  const [newest = ""] = apiVersions;
  const createProblem = (problem: string, uid: string, apiVersion = newest): ParsedReview => ({ problem, code: 400, uid, apiVersion });
  if (bytes.length === 0) return createProblem("the body is empty", "");
  let body: unknown;
  try {
    body = parseJson(bytes);
  } catch (error) {
    return createProblem(`the body is not JSON: ${(error as Error).message}`, extractUid(bytes));
  }
  if (!isJsonObject(body)) return createProblem(`the body is not a ${kind}`, "");
  const { apiVersion, request } = body;
  const uid = isJsonObject(request) && typeof request["uid"] === "string" ? request["uid"] : "";
  if (typeof apiVersion !== "string" || !apiVersions.includes(apiVersion) || body["kind"] !== kind)
    return createProblem(`the body is a ${String(apiVersion)} ${String(body["kind"])}: send ${kind} of ${apiVersions.join(" or ")}`, uid);
  if (!isJsonObject(request)) return createProblem(`the ${kind} has no request`, uid, apiVersion);
  if (uid === "") return createProblem(`the request of the ${kind} has no uid`, uid, apiVersion);
  return { request, uid, apiVersion };
}

const UID_SCAN_BYTES = 4096;

/** Finds the uid in the first bytes of a review that cannot be parsed; "" if there is none. */
export function extractUid(bytes: Uint8Array): string {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, UID_SCAN_BYTES)).toString("latin1");
  return /"request"\s*:\s*\{\s*"uid"\s*:\s*"([-\w.:]{1,128})"/.exec(start)?.[1] ?? "";
}

/** Encodes the response of a review. */
export function encodeReview(kind: string, apiVersion: string, response: JsonObject): string {
  return stringifyJson({ apiVersion, kind, response });
}
