import { isObject, type Json, type JsonObject } from "pintle/kinds";
import { goQuote } from "../../status/index.ts";

/** What a webhook has to say, once its answer has been checked. */
export interface Verdict {
  readonly allowed: boolean;
  /** JSON Patch as text; empty when there is none. */
  readonly patch: string;
  readonly patchType: string;
  readonly result: JsonObject | undefined;
  readonly warnings: readonly string[];
  readonly annotations: Readonly<Record<string, string>>;
}

/** An answer that is none. */
export class InvalidAnswer extends Error {
  override readonly name = "InvalidAnswer";
}

/** An answer that cannot even be decoded. */
export class UndecodableAnswer extends Error {
  override readonly name = "UndecodableAnswer";
}

/** Throws an InvalidAnswer, or an UndecodableAnswer, in the words of the API server. */
export function verdict(answer: JsonObject, version: "v1" | "v1beta1", uid: string, mutating: boolean): Verdict {
  const { kind, apiVersion } = answer;
  const wanted = `admission.k8s.io/${version}`;
  if (kind === "Status" && apiVersion === "v1") {
    throw new UndecodableAnswer(`converting (v1.Status) to (${version}.AdmissionReview): unknown conversion`);
  }
  if (kind && apiVersion && (kind !== "AdmissionReview" || !String(apiVersion).startsWith("admission.k8s.io/v1"))) {
    throw new UndecodableAnswer(
      `no kind ${goQuote(String(kind))} is registered for version ${goQuote(String(apiVersion))} in scheme "pkg/runtime/scheme.go:111"`,
    );
  }
  const response = responseOf(answer);
  if (response === undefined) throw new InvalidAnswer("webhook response was absent");
  const patchType = response["patchType"] as string | null | undefined;
  const patch = patchText(response["patch"] as string | null | undefined);
  if (version === "v1") {
    if ((response["uid"] ?? "") !== uid) {
      throw new InvalidAnswer(`expected response.uid=${goQuote(uid)}, got ${goQuote(String(response["uid"] ?? ""))}`);
    }
    if (kind !== "AdmissionReview" || apiVersion !== wanted) {
      throw new InvalidAnswer(`expected webhook response of ${wanted}, Kind=AdmissionReview, got ${goKind(answer)}`);
    }
    checkPatch(patch, patchType ?? undefined, mutating);
  }
  return {
    allowed: response["allowed"] === true,
    patch: mutating ? patch : "",
    patchType: version === "v1beta1" && patch !== "" ? "JSONPatch" : (patchType ?? ""),
    result: (response["status"] ?? undefined) as JsonObject | undefined,
    warnings: (response["warnings"] ?? []) as readonly string[],
    annotations: (response["auditAnnotations"] ?? {}) as Readonly<Record<string, string>>,
  };
}

function goKind({ kind, apiVersion }: JsonObject): string {
  const text = String(apiVersion ?? "");
  return `${text.includes("/") ? text : `/${text}`}, Kind=${String(kind ?? "")}`;
}

function checkPatch(patch: string, patchType: string | undefined, mutating: boolean): void {
  if (!mutating) {
    if (patch !== "") throw new InvalidAnswer("validating webhook may not return response.patch");
    if (patchType !== undefined) throw new InvalidAnswer("validating webhook may not return response.patchType");
    return;
  }
  if (patch !== "" && patchType === undefined) throw new InvalidAnswer("webhook returned response.patch but not response.patchType");
  if (patch === "" && patchType !== undefined) throw new InvalidAnswer("webhook returned response.patchType but not response.patch");
  if (patchType === "") throw new InvalidAnswer('webhook returned invalid response.patchType of ""');
}

type Check = (value: Json) => string | undefined;
const is =
  (name: string, go: string): Check =>
  (value) =>
    jsonName(value) === name ? undefined : go;
const FIELDS: Readonly<Record<string, Check>> = {
  uid: is("string", "types.UID"),
  allowed: is("bool", "bool"),
  status: is("object", "v1.Status"),
  patch: is("string", "[]uint8"),
  patchType: is("string", "v1.PatchType"),
  auditAnnotations: is("object", "map[string]string"),
  warnings: is("array", "[]string"),
};

/** The response, its fields of the types they should have. */
function responseOf({ response }: JsonObject): JsonObject | undefined {
  if (response === undefined || response === null) return undefined;
  if (!isObject(response)) throw mismatch(response, "AdmissionReview.response", "v1.AdmissionResponse");
  for (const [field, check] of Object.entries(FIELDS)) {
    const value = response[field] ?? null;
    const go = value === null ? undefined : check(value);
    if (go !== undefined) throw mismatch(value, `AdmissionResponse.response.${field}`, go);
  }
  return response;
}

function mismatch(value: Json, field: string, go: string): UndecodableAnswer {
  return new UndecodableAnswer(`json: cannot unmarshal ${jsonName(value)} into Go struct field ${field} of type ${go}`);
}

function jsonName(value: Json): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  const type = typeof value;
  return type === "boolean" ? "bool" : type === "bigint" ? "number" : type;
}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

function patchText(patch: string | null | undefined): string {
  if (!patch) return "";
  const text = patch.replace(/[\r\n]/g, "");
  if (text.length % 4 !== 0 || !BASE64.test(text)) {
    const at = /[^A-Za-z0-9+/]/.exec(text)?.index ?? text.length - (text.length % 4);
    throw new UndecodableAnswer(`illegal base64 data at input byte ${at}`);
  }
  return Buffer.from(text, "base64").toString();
}
