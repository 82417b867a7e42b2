import type { JsonObject } from "pintle/kinds";
import { comparable } from "../../packages/cluster/test/builtin/comparable.ts";
import { casesOf, suiteNames } from "../../packages/cluster/test/builtin/files.ts";
import { placeOf, type Reply, type Send } from "../../packages/cluster/test/builtin/script.ts";

/** Where objects are spoiled, so that no case is in the way. */
export const NAMESPACE = "spoiled";

/** An object that a server takes, and where. */
export interface Good {
  readonly title: string;
  readonly kind: string;
  readonly collection: string;
  readonly object: JsonObject;
}

/** Every object that a case makes. */
export async function goodObjects(): Promise<readonly Good[]> {
  const found = new Map<string, Good>();
  for (const suite of await suiteNames()) {
    for (const { case: name, do: steps } of await casesOf(suite)) {
      for (const step of steps) {
        if (!("create" in step)) continue;
        const kind = step.create["kind"] as string;
        const { namespace: _, ...metadata } = (step.create["metadata"] ?? {}) as JsonObject;
        // Whoever has the server think of a name gets another one every time.
        if (metadata["generateName"] !== undefined) continue;
        const object = { ...step.create, metadata } as JsonObject;
        found.set(JSON.stringify(object), { title: `${kind} of ${name}`, kind, collection: placeOf(object, NAMESPACE).collection, object });
      }
    }
  }
  return [...found.values()];
}

/** Parts of errors in which servers differ by design: see the functions for why. */
export function loosely(reply: Reply): unknown {
  const { body, ...rest } = comparable(reply) as { readonly body: JsonObject };
  const { managedFields: _, ...metadata } = (body["metadata"] ?? {}) as JsonObject;
  const details = body["details"] as { readonly causes?: readonly unknown[] } | undefined;
  // The same thing found twice, by the rules of metadata and of the kind, is listed twice.
  const causes = details?.causes && [...new Set(details.causes.map((cause) => JSON.stringify(loose(cause))))].sort();
  return { ...rest, body: loose({ ...body, metadata, ...(details === undefined ? {} : { details: { ...details, causes } }) }) };
}

function loose(value: unknown): unknown {
  if (typeof value === "string") return looseText(value);
  if (Array.isArray(value)) return value.map(loose);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, loose(field)]));
}

/** Storage does not tell empty from missing, so we do not either; nor do we show types that nobody publishes. */
function looseText(text: string): string {
  return text
    .replace(/(Invalid|Unsupported) value: (\{\}|\[\]|null|""):/g, "$1 value: <none>:")
    .replace(/Invalid value: (?:(?!Invalid value: ).)*?: field is immutable/g, "<immutable>")
    .replace(/Duplicate value: 3\d{4}/g, "Duplicate value: <port>");
}

export async function makeNamespace(send: Send): Promise<void> {
  await send({ method: "POST", path: "/api/v1/namespaces", body: { metadata: { name: NAMESPACE } } });
}
