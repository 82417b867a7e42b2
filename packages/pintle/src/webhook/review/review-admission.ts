import { STATUS_REASONS } from "../../client/index.ts";
import { isJsonObject, setOwnProperty, stringifyJson } from "../../json/index.ts";
import type { Json, JsonObject } from "../../kinds/index.ts";
import type { AdmissionPhase } from "../configuration/webhook-names.ts";
import { AdmissionDenied } from "../declare/admission-denied.ts";
import type { AdmissionAttributes, UserInfo } from "../declare/admission-request.ts";
import { normalizeValidationResult } from "../declare/validation-result.ts";
import type { Webhook } from "../declare/webhook.ts";
import { buildInvalidStatus } from "./invalid-status.ts";
import { createJsonPatch } from "./json-patch.ts";
import { encodeReview, extractUid, parseReview, type ReviewOutcome } from "./parse-review.ts";

const KIND = "AdmissionReview";
const API_VERSIONS = ["admission.k8s.io/v1", "admission.k8s.io/v1beta1"];

/** Runs a webhook for the AdmissionReview in a body. Never rejects: every failure becomes a response with the uid of the request. */
export async function reviewAdmission(
  webhook: Webhook,
  phase: AdmissionPhase,
  bytes: Uint8Array,
  signal: () => AbortSignal,
): Promise<ReviewOutcome> {
  const parsed = parseReview(bytes, KIND, API_VERSIONS);
  const { uid, apiVersion } = parsed;
  const respond = (response: JsonObject, code: number, thrown?: unknown): ReviewOutcome => ({
    body: encodeReview(KIND, apiVersion, { uid, ...response }),
    code,
    ...(thrown === undefined ? {} : { thrown }),
  });
  const deny = (code: number, message: string, reason = STATUS_REASONS[code], bug?: unknown) =>
    respond({ allowed: false, status: { status: "Failure", code, message, ...(reason === undefined ? {} : { reason }) } }, code, bug);
  if ("problem" in parsed) return deny(parsed.code, parsed.problem);
  const { request } = parsed;
  const mismatch = findMismatch(webhook, request);
  if (mismatch !== undefined) return deny(400, mismatch);
  const reviewed = toReviewedRequest(request, signal);
  try {
    return await (phase === "mutate" ? runDefault(webhook, reviewed, respond, deny) : runValidate(webhook, reviewed, respond));
  } catch (error) {
    if (error instanceof AdmissionDenied) return deny(error.statusCode, error.message, error.reason ?? STATUS_REASONS[error.statusCode]);
    const what = [webhook.kind.kind, [reviewed.namespace, reviewed.name].filter(Boolean).join("/")].filter(Boolean).join(" ");
    return deny(
      500,
      `the webhook for ${what} failed: ${error instanceof Error ? error.message : String(error)}`,
      "InternalError",
      error ?? new Error("the webhook threw undefined"),
    );
  }
}

/** Returns the response to a request whose body could not be read; `start` is its beginning. */
export function rejectUnreadableAdmission(code: number, message: string, start: Uint8Array): ReviewOutcome {
  const reason = STATUS_REASONS[code];
  const status = { status: "Failure", code, message, ...(reason === undefined ? {} : { reason }) };
  return { body: encodeReview(KIND, API_VERSIONS[0]!, { uid: extractUid(start), allowed: false, status }), code };
}

type RespondFunction = (response: JsonObject, code: number) => ReviewOutcome;
type DenyFunction = (code: number, message: string) => ReviewOutcome;
type ReviewedRequest = AdmissionAttributes & { readonly object: JsonObject | undefined; readonly old: JsonObject | undefined };

async function runDefault(
  webhook: Webhook,
  reviewed: ReviewedRequest,
  respond: RespondFunction,
  deny: DenyFunction,
): Promise<ReviewOutcome> {
  const { object } = reviewed;
  if (object === undefined) return respond({ allowed: true }, 200);
  const changed = copyForMutation(object);
  if (changed === undefined) return deny(400, "the object is nested too deeply");
  const returned = (await webhook.default!(changed, reviewed)) as Json | undefined;
  const patch = createJsonPatch(object, (isJsonObject(returned) ? returned : changed) as JsonObject);
  if (patch.length === 0) return respond({ allowed: true }, 200);
  return respond({ allowed: true, patchType: "JSONPatch", patch: Buffer.from(stringifyJson(patch)).toString("base64") }, 200);
}

async function runValidate(webhook: Webhook, reviewed: ReviewedRequest, respond: RespondFunction): Promise<ReviewOutcome> {
  const { errors, warnings } = normalizeValidationResult(await webhook.validate!(reviewed));
  const warningFields: JsonObject = warnings.length === 0 ? {} : { warnings };
  if (errors.length === 0) return respond({ allowed: true, ...warningFields }, 200);
  return respond(
    { allowed: false, status: buildInvalidStatus(webhook.kind, reviewed.name, reviewed.object ?? reviewed.old, errors), ...warningFields },
    422,
  );
}

/** Returns an error if the webhook configuration sent an object of another kind, which would not match the types of the webhook. */
function findMismatch({ kind }: Webhook, { kind: sent, subResource, operation }: JsonObject): string | undefined {
  if (typeof operation !== "string" || !/^(CREATE|UPDATE|DELETE|CONNECT)$/.test(operation))
    return `${String(operation)} is not an operation`;
  if (typeof subResource === "string" && subResource !== "" && subResource !== "status") return undefined;
  if (!isJsonObject(sent)) return "the request has no kind";
  if (sent["group"] === kind.group && sent["version"] === kind.version && sent["kind"] === kind.kind) return undefined;
  return `this webhook is for ${kind.id}, but the request is for ${[sent["group"], sent["version"], sent["kind"]].filter((part) => part !== "").join("/")}`;
}

function toReviewedRequest(request: JsonObject, signal: () => AbortSignal): ReviewedRequest {
  const { userInfo, subResource, options } = request;
  const text = (value: Json | undefined) => (typeof value === "string" ? value : "");
  const object = isJsonObject(request["object"]) ? request["object"] : undefined;
  const old = isJsonObject(request["oldObject"]) ? request["oldObject"] : undefined;
  const metadata = (object ?? old)?.["metadata"];
  return new RequestWithLazySignal(signal, {
    object,
    old,
    uid: text(request["uid"]),
    operation: text(request["operation"]),
    user: parseUserInfo(isJsonObject(userInfo) ? userInfo : {}),
    dryRun: request["dryRun"] === true,
    name: text(request["name"]) || (isJsonObject(metadata) ? text(metadata["name"]) : ""),
    namespace: text(request["namespace"]) || undefined,
    subresource: text(subResource) || undefined,
    options: isJsonObject(options) ? options : {},
  }) as unknown as ReviewedRequest;
}

/** A request whose signal is created on first access, because most handlers do not use it. A class, so that the getter is on the prototype. */
class RequestWithLazySignal {
  readonly #signal: () => AbortSignal;
  constructor(signal: () => AbortSignal, facts: object) {
    this.#signal = signal;
    Object.assign(this, facts);
  }
  get signal(): AbortSignal {
    return this.#signal();
  }
}

function parseUserInfo({ username, uid, groups, extra }: JsonObject): UserInfo {
  return {
    username: typeof username === "string" ? username : "",
    ...(typeof uid === "string" ? { uid } : {}),
    groups: Array.isArray(groups) ? (groups as readonly string[]) : [],
    extra: isJsonObject(extra) ? (extra as Readonly<Record<string, readonly string[]>>) : {},
  };
}

/** Far deeper than any Kubernetes object; a deeper request is malicious. */
const MAX_DEPTH = 500;

/** Returns a mutable deep copy with all keys, also `__proto__`. Returns undefined if the value is nested deeper than `MAX_DEPTH`. */
function copyForMutation(value: Json): Json | undefined {
  try {
    return deepCopy(value, 0);
  } catch (error) {
    if (error === TOO_DEEP) return undefined;
    throw error;
  }
}

const TOO_DEEP = new Error("nested too deeply");

function deepCopy(value: Json, depth: number): Json {
  if (typeof value !== "object" || value === null) return value;
  if (depth > MAX_DEPTH) throw TOO_DEEP;
  if (Array.isArray(value)) return value.map((item) => deepCopy(item, depth + 1));
  const out: Record<string, Json> = {};
  for (const [key, field] of Object.entries(value)) setOwnProperty(out, key, deepCopy(field as Json, depth + 1));
  return out;
}
