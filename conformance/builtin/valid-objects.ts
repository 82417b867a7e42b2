import type { JsonObject } from "pintle/kinds";
import { normalizeResponse } from "../../packages/cluster/test/builtin/normalize-response.ts";
import { getResourcePaths, type SendRequest, type ServerResponse } from "../../packages/cluster/test/builtin/run-case.ts";
import { listSuites, readCases } from "../../packages/cluster/test/builtin/suite-files.ts";

/** The namespace of the mutated objects, which no case uses. */
export const NAMESPACE = "mutated";

/** An object that a server accepts, and the path of its collection. */
export interface ValidObject {
  readonly title: string;
  readonly kind: string;
  readonly collection: string;
  readonly object: JsonObject;
}

/** Lists every object that a case creates. */
export async function listValidObjects(): Promise<readonly ValidObject[]> {
  const found = new Map<string, ValidObject>();
  for (const suite of await listSuites()) {
    for (const { case: name, do: steps } of await readCases(suite)) {
      for (const step of steps) {
        if (!("create" in step)) continue;
        const kind = step.create["kind"] as string;
        const { namespace: _, ...metadata } = (step.create["metadata"] ?? {}) as JsonObject;
        // Generated names differ from run to run.
        if (metadata["generateName"] !== undefined) continue;
        const object = { ...step.create, metadata } as JsonObject;
        found.set(JSON.stringify(object), {
          title: `${kind} of ${name}`,
          kind,
          collection: getResourcePaths(object, NAMESPACE).collection,
          object,
        });
      }
    }
  }
  return [...found.values()];
}

/** Normalizes a response and removes the parts of errors that differ by design. */
export function normalizeLoosely(reply: ServerResponse): unknown {
  const { body, ...rest } = normalizeResponse(reply) as { readonly body: JsonObject };
  const { managedFields: _, ...metadata } = (body["metadata"] ?? {}) as JsonObject;
  const details = body["details"] as { readonly causes?: readonly unknown[] } | undefined;
  // kube-apiserver lists a cause twice that both the metadata and the kind validation find.
  const causes = details?.causes && [...new Set(details.causes.map((cause) => JSON.stringify(normalizeValue(cause))))].sort();
  return { ...rest, body: normalizeValue({ ...body, metadata, ...(details === undefined ? {} : { details: { ...details, causes } }) }) };
}

function normalizeValue(value: unknown): unknown {
  if (typeof value === "string") return normalizeText(value);
  if (Array.isArray(value)) return value.map(normalizeValue);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, normalizeValue(field)]));
}

/** Masks empty values, which the store does not distinguish from missing ones, and quoted values of internal Go types. */
function normalizeText(text: string): string {
  return text
    .replace(/(Invalid|Unsupported) value: (\{\}|\[\]|null|""):/g, "$1 value: <none>:")
    .replace(/Invalid value: (?:(?!Invalid value: ).)*?: field is immutable/g, "<immutable>")
    .replace(/Duplicate value: 3\d{4}/g, "Duplicate value: <port>");
}

export async function createNamespace(send: SendRequest): Promise<void> {
  await send({ method: "POST", path: "/api/v1/namespaces", body: { metadata: { name: NAMESPACE } } });
}
