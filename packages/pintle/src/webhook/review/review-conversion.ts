import { isJsonObject } from "../../json/index.ts";
import type { JsonObject } from "../../kinds/index.ts";
import type { AnyResource } from "../../resource/index.ts";
import { encodeReview, parseReview, type ReviewOutcome } from "./parse-review.ts";

const KIND = "ConversionReview";
const API_VERSIONS = ["apiextensions.k8s.io/v1"];

/** Converts the objects of the ConversionReview in a body to the requested version, all or none. Every failure becomes a response. */
export function reviewConversion(resources: ReadonlyMap<string, AnyResource>, bytes: Uint8Array): ReviewOutcome {
  const parsed = parseReview(bytes, KIND, API_VERSIONS);
  const { uid, apiVersion } = parsed;
  const respond = (response: JsonObject, code: number, thrown?: unknown): ReviewOutcome => ({
    body: encodeReview(KIND, apiVersion, { uid, convertedObjects: [], ...response }),
    code,
    ...(thrown === undefined ? {} : { thrown }),
  });
  const fail = (code: number, message: string, bug?: unknown) => respond({ result: { status: "Failure", code, message } }, code, bug);
  if ("problem" in parsed) return fail(parsed.code, parsed.problem);
  const { desiredAPIVersion, objects } = parsed.request;
  if (typeof desiredAPIVersion !== "string") return fail(400, "the request has no desiredAPIVersion");
  if (!Array.isArray(objects) || !objects.every(isJsonObject)) return fail(400, "the request has no list of objects");
  const convertedObjects: JsonObject[] = [];
  for (const object of objects as readonly JsonObject[]) {
    const resource = resources.get(groupKindOf(object["apiVersion"], object["kind"]));
    const [group, version] = parseApiVersion(desiredAPIVersion);
    if (resource === undefined || resource.group !== group)
      return fail(400, `${String(object["kind"])} of ${String(object["apiVersion"])} cannot be converted to ${desiredAPIVersion} here`);
    try {
      convertedObjects.push(resource.convert(object, version));
    } catch (error) {
      const { metadata } = object;
      const { namespace, name } = isJsonObject(metadata) ? metadata : {};
      const objectName = [namespace, name].filter(Boolean).join("/");
      return fail(
        500,
        `${resource.kind} ${objectName} cannot be converted from ${String(object["apiVersion"])} to ${desiredAPIVersion}: ${error instanceof Error ? error.message : String(error)}`,
        error,
      );
    }
  }
  return respond({ convertedObjects, result: { status: "Success" } }, 200);
}

/** Returns the response to a request whose body could not be read. */
export function rejectUnreadableConversion(code: number, message: string, uid: string): ReviewOutcome {
  const result = { status: "Failure", code, message };
  return { body: encodeReview(KIND, API_VERSIONS[0]!, { uid, convertedObjects: [], result }), code };
}

/** Returns resources by group and kind, which all versions share. */
export function resourcesByGroupKind(resources: readonly AnyResource[]): ReadonlyMap<string, AnyResource> {
  return new Map(resources.map((resource) => [groupKindOf(resource.apiVersion, resource.kind), resource]));
}

function groupKindOf(apiVersion: unknown, kind: unknown): string {
  return `${parseApiVersion(String(apiVersion))[0]} ${String(kind)}`;
}

function parseApiVersion(apiVersion: string): readonly [group: string, version: string] {
  const at = apiVersion.lastIndexOf("/");
  return at < 0 ? ["", apiVersion] : [apiVersion.slice(0, at), apiVersion.slice(at + 1)];
}
