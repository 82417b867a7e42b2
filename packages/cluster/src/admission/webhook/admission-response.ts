import { quoteGoString } from "pintle/internal/go-format";
import { isJsonObject } from "pintle/internal/json";
import type { Json, JsonObject } from "pintle/kinds";

/** The checked response of a webhook. */
export interface AdmissionResponse {
  readonly allowed: boolean;
  /** JSON patch as text; empty if there is none. */
  readonly patch: string;
  readonly patchType: string;
  readonly result: JsonObject | undefined;
  readonly warnings: readonly string[];
  readonly annotations: Readonly<Record<string, string>>;
}

/** A response that is not a valid AdmissionReview. */
export class InvalidResponseError extends Error {
  override readonly name = "InvalidAnswer";
}

/** A response that cannot be decoded. */
export class UndecodableResponseError extends Error {
  override readonly name = "UndecodableAnswer";
}

/** Parses a response. Throws `InvalidResponseError` or `UndecodableResponseError` with the text of kube-apiserver. */
export function parseAdmissionResponse(review: JsonObject, version: "v1" | "v1beta1", uid: string, mutating: boolean): AdmissionResponse {
  const { kind, apiVersion } = review;
  const expectedVersion = `admission.k8s.io/${version}`;
  if (kind === "Status" && apiVersion === "v1") {
    throw new UndecodableResponseError(`converting (v1.Status) to (${version}.AdmissionReview): unknown conversion`);
  }
  if (kind && apiVersion && (kind !== "AdmissionReview" || !String(apiVersion).startsWith("admission.k8s.io/v1"))) {
    throw new UndecodableResponseError(
      `no kind ${quoteGoString(String(kind))} is registered for version ${quoteGoString(String(apiVersion))} in scheme "pkg/runtime/scheme.go:111"`,
    );
  }
  const response = getResponse(review);
  if (response === undefined) throw new InvalidResponseError("webhook response was absent");
  const patchType = response["patchType"] as string | null | undefined;
  const patch = decodePatch(response["patch"] as string | null | undefined);
  if (version === "v1") {
    if ((response["uid"] ?? "") !== uid) {
      throw new InvalidResponseError(`expected response.uid=${quoteGoString(uid)}, got ${quoteGoString(String(response["uid"] ?? ""))}`);
    }
    if (kind !== "AdmissionReview" || apiVersion !== expectedVersion) {
      throw new InvalidResponseError(`expected webhook response of ${expectedVersion}, Kind=AdmissionReview, got ${formatGoKind(review)}`);
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

function formatGoKind({ kind, apiVersion }: JsonObject): string {
  const text = String(apiVersion ?? "");
  return `${text.includes("/") ? text : `/${text}`}, Kind=${String(kind ?? "")}`;
}

function checkPatch(patch: string, patchType: string | undefined, mutating: boolean): void {
  if (!mutating) {
    if (patch !== "") throw new InvalidResponseError("validating webhook may not return response.patch");
    if (patchType !== undefined) throw new InvalidResponseError("validating webhook may not return response.patchType");
    return;
  }
  if (patch !== "" && patchType === undefined) throw new InvalidResponseError("webhook returned response.patch but not response.patchType");
  if (patch === "" && patchType !== undefined) throw new InvalidResponseError("webhook returned response.patchType but not response.patch");
  if (patchType === "") throw new InvalidResponseError('webhook returned invalid response.patchType of ""');
}

type FieldTypeCheck = (value: Json) => string | undefined;
const isJsonType =
  (name: string, go: string): FieldTypeCheck =>
  (value) =>
    jsonName(value) === name ? undefined : go;
const FIELDS: Readonly<Record<string, FieldTypeCheck>> = {
  uid: isJsonType("string", "types.UID"),
  allowed: isJsonType("bool", "bool"),
  status: isJsonType("object", "v1.Status"),
  patch: isJsonType("string", "[]uint8"),
  patchType: isJsonType("string", "v1.PatchType"),
  auditAnnotations: isJsonType("object", "map[string]string"),
  warnings: isJsonType("array", "[]string"),
};

/** Returns the `response` field after checking the types of its fields. */
function getResponse({ response }: JsonObject): JsonObject | undefined {
  if (response === undefined || response === null) return undefined;
  if (!isJsonObject(response)) throw mismatch(response, "AdmissionReview.response", "v1.AdmissionResponse");
  for (const [field, check] of Object.entries(FIELDS)) {
    const value = response[field] ?? null;
    const go = value === null ? undefined : check(value);
    if (go !== undefined) throw mismatch(value, `AdmissionResponse.response.${field}`, go);
  }
  return response;
}

function mismatch(value: Json, field: string, go: string): UndecodableResponseError {
  return new UndecodableResponseError(`json: cannot unmarshal ${jsonName(value)} into Go struct field ${field} of type ${go}`);
}

function jsonName(value: Json): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  const type = typeof value;
  return type === "boolean" ? "bool" : type === "bigint" ? "number" : type;
}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

function decodePatch(patch: string | null | undefined): string {
  if (!patch) return "";
  const text = patch.replace(/[\r\n]/g, "");
  if (text.length % 4 !== 0 || !BASE64.test(text)) {
    const at = /[^A-Za-z0-9+/]/.exec(text)?.index ?? text.length - (text.length % 4);
    throw new UndecodableResponseError(`illegal base64 data at input byte ${at}`);
  }
  return Buffer.from(text, "base64").toString();
}
