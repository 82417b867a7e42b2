import { stringifyJson } from "../client/index.ts";
import { isObject, type Json, type JsonObject } from "../kinds/index.ts";
import { Denied } from "./denied.ts";
import { draft } from "./draft.ts";
import { fieldStatus } from "./field-status.ts";
import { jsonPatch } from "./json-patch.ts";
import type { Phase } from "./names.ts";
import type { About, UserInfo } from "./request.ts";
import { type Answered, review, reviewText, uidIn } from "./review.ts";
import { judgement } from "./verdict.ts";
import type { Webhook } from "./webhook.ts";

const KIND = "AdmissionReview";
const API_VERSIONS = ["admission.k8s.io/v1", "admission.k8s.io/v1beta1"];

/** What a webhook says to the review in a body. Never rejects: whatever goes wrong is an answer, with the uid of the question. */
export async function admit(webhook: Webhook, phase: Phase, bytes: Uint8Array, signal: () => AbortSignal): Promise<Answered> {
  const asked = review(bytes, KIND, API_VERSIONS);
  const { uid, apiVersion } = asked;
  const answer = (response: JsonObject, code: number, bug?: unknown): Answered => ({
    body: reviewText(KIND, apiVersion, { uid, ...response }),
    code,
    ...(bug === undefined ? {} : { bug }),
  });
  const no = (code: number, message: string, reason = REASONS[code], bug?: unknown) =>
    answer({ allowed: false, status: { status: "Failure", code, message, ...(reason === undefined ? {} : { reason }) } }, code, bug);
  if ("problem" in asked) return no(asked.code, asked.problem);
  const { request } = asked;
  const stranger = mismatch(webhook, request);
  if (stranger !== undefined) return no(400, stranger);
  const about = said(request, signal);
  try {
    return await (phase === "mutate" ? mutated(webhook, about, answer, no) : validated(webhook, about, answer));
  } catch (error) {
    if (error instanceof Denied) return no(error.code, error.message, error.reason ?? REASONS[error.code]);
    const what = [webhook.kind.kind, [about.namespace, about.name].filter(Boolean).join("/")].filter(Boolean).join(" ");
    return no(
      500,
      `the webhook for ${what} failed: ${error instanceof Error ? error.message : String(error)}`,
      "InternalError",
      error ?? new Error("a webhook threw nothing"),
    );
  }
}

/** The answer to a request that could not even be read. */
export function unreadable(code: number, message: string, start: Uint8Array): Answered {
  const reason = REASONS[code];
  const status = { status: "Failure", code, message, ...(reason === undefined ? {} : { reason }) };
  return { body: reviewText(KIND, API_VERSIONS[0]!, { uid: uidIn(start), allowed: false, status }), code };
}

const REASONS: Readonly<Record<number, string>> = {
  400: "BadRequest",
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  405: "MethodNotAllowed",
  409: "Conflict",
  413: "RequestEntityTooLarge",
  415: "UnsupportedMediaType",
  422: "Invalid",
  429: "TooManyRequests",
  500: "InternalError",
  503: "ServiceUnavailable",
};

type Answer = (response: JsonObject, code: number) => Answered;
type No = (code: number, message: string) => Answered;
type Asked = About & { readonly object: JsonObject | undefined; readonly old: JsonObject | undefined };

async function mutated(webhook: Webhook, asked: Asked, answer: Answer, no: No): Promise<Answered> {
  const { object } = asked;
  if (object === undefined) return answer({ allowed: true }, 200);
  const changed = draft(object);
  if (changed === undefined) return no(400, "the object is nested too deep");
  const returned = (await webhook.default!(changed, asked)) as Json | undefined;
  const patch = jsonPatch(object, (isObject(returned) ? returned : changed) as JsonObject);
  if (patch.length === 0) return answer({ allowed: true }, 200);
  return answer({ allowed: true, patchType: "JSONPatch", patch: Buffer.from(stringifyJson(patch)).toString("base64") }, 200);
}

async function validated(webhook: Webhook, asked: Asked, answer: Answer): Promise<Answered> {
  const { errors, warnings } = judgement(await webhook.validate!(asked));
  const told: JsonObject = warnings.length === 0 ? {} : { warnings };
  if (errors.length === 0) return answer({ allowed: true, ...told }, 200);
  return answer({ allowed: false, status: fieldStatus(webhook.kind, asked.name, asked.object ?? asked.old, errors), ...told }, 422);
}

/** A configuration that sends other kinds here would give a webhook objects that are not what its types say. */
function mismatch({ kind }: Webhook, { kind: sent, subResource, operation }: JsonObject): string | undefined {
  if (typeof operation !== "string" || !/^(CREATE|UPDATE|DELETE|CONNECT)$/.test(operation)) return `${String(operation)} is no operation`;
  if (typeof subResource === "string" && subResource !== "" && subResource !== "status") return undefined;
  if (!isObject(sent)) return "the request does not say its kind";
  if (sent["group"] === kind.group && sent["version"] === kind.version && sent["kind"] === kind.kind) return undefined;
  return `this webhook is for ${kind.id}, and was asked about ${[sent["group"], sent["version"], sent["kind"]].filter((part) => part !== "").join("/")}`;
}

function said(request: JsonObject, signal: () => AbortSignal): Asked {
  const { userInfo, subResource, options } = request;
  const text = (value: Json | undefined) => (typeof value === "string" ? value : "");
  const object = isObject(request["object"]) ? request["object"] : undefined;
  const old = isObject(request["oldObject"]) ? request["oldObject"] : undefined;
  const metadata = (object ?? old)?.["metadata"];
  return new Said(signal, {
    object,
    old,
    uid: text(request["uid"]),
    operation: text(request["operation"]),
    user: userOf(isObject(userInfo) ? userInfo : {}),
    dryRun: request["dryRun"] === true,
    name: text(request["name"]) || (isObject(metadata) ? text(metadata["name"]) : ""),
    namespace: text(request["namespace"]) || undefined,
    subresource: text(subResource) || undefined,
    options: isObject(options) ? options : {},
  }) as unknown as Asked;
}

/** Most handlers never wait for anything, so the signal is made when somebody asks. The getter is the class's: see `context.ts`. */
class Said {
  readonly #signal: () => AbortSignal;
  constructor(signal: () => AbortSignal, facts: object) {
    this.#signal = signal;
    Object.assign(this, facts);
  }
  get signal(): AbortSignal {
    return this.#signal();
  }
}

function userOf({ username, uid, groups, extra }: JsonObject): UserInfo {
  return {
    username: typeof username === "string" ? username : "",
    ...(typeof uid === "string" ? { uid } : {}),
    groups: Array.isArray(groups) ? (groups as readonly string[]) : [],
    extra: isObject(extra) ? (extra as Readonly<Record<string, readonly string[]>>) : {},
  };
}
