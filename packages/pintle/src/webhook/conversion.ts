import { isObject, type JsonObject } from "../kinds/index.ts";
import type { AnyResource } from "../resource/index.ts";
import { type Answered, review, reviewText } from "./review.ts";

const KIND = "ConversionReview";
const API_VERSIONS = ["apiextensions.k8s.io/v1"];

/** The objects of the review in a body, in the version it asks for; all of them or none. Never rejects. */
export function converted(resources: ReadonlyMap<string, AnyResource>, bytes: Uint8Array): Answered {
  const asked = review(bytes, KIND, API_VERSIONS);
  const { uid, apiVersion } = asked;
  const answer = (response: JsonObject, code: number, bug?: unknown): Answered => ({
    body: reviewText(KIND, apiVersion, { uid, convertedObjects: [], ...response }),
    code,
    ...(bug === undefined ? {} : { bug }),
  });
  const failed = (code: number, message: string, bug?: unknown) => answer({ result: { status: "Failure", code, message } }, code, bug);
  if ("problem" in asked) return failed(asked.code, asked.problem);
  const { desiredAPIVersion, objects } = asked.request;
  if (typeof desiredAPIVersion !== "string") return failed(400, "the request does not say a desiredAPIVersion");
  if (!Array.isArray(objects) || !objects.every(isObject)) return failed(400, "the request has no list of objects");
  const convertedObjects: JsonObject[] = [];
  for (const object of objects as readonly JsonObject[]) {
    const resource = resources.get(familyOf(object["apiVersion"], object["kind"]));
    const [group, version] = partsOf(desiredAPIVersion);
    if (resource === undefined || resource.group !== group)
      return failed(400, `${String(object["kind"])} of ${String(object["apiVersion"])} cannot be converted to ${desiredAPIVersion} here`);
    try {
      convertedObjects.push(resource.convert(object, version));
    } catch (error) {
      const { metadata } = object;
      const { namespace, name } = isObject(metadata) ? metadata : {};
      const place = [namespace, name].filter(Boolean).join("/");
      return failed(
        500,
        `${resource.kind} ${place} cannot be converted from ${String(object["apiVersion"])} to ${desiredAPIVersion}: ${error instanceof Error ? error.message : String(error)}`,
        error,
      );
    }
  }
  return answer({ convertedObjects, result: { status: "Success" } }, 200);
}

/** The answer to a request that could not even be read. */
export function unreadableConversion(code: number, message: string, uid: string): Answered {
  const result = { status: "Failure", code, message };
  return { body: reviewText(KIND, API_VERSIONS[0]!, { uid, convertedObjects: [], result }), code };
}

/** Resources by what all their versions share. */
export function families(resources: readonly AnyResource[]): ReadonlyMap<string, AnyResource> {
  return new Map(resources.map((resource) => [familyOf(resource.apiVersion, resource.kind), resource]));
}

function familyOf(apiVersion: unknown, kind: unknown): string {
  return `${partsOf(String(apiVersion))[0]} ${String(kind)}`;
}

function partsOf(apiVersion: string): readonly [group: string, version: string] {
  const at = apiVersion.lastIndexOf("/");
  return at < 0 ? ["", apiVersion] : [apiVersion.slice(0, at), apiVersion.slice(at + 1)];
}
