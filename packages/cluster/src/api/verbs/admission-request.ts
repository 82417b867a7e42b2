import type { Json, JsonObject } from "pintle/kinds";
import type { AdmissionLookup, AdmissionRequest, GroupVersionKind, Operation } from "../admission.ts";
import type { Call, Kernel } from "../call.ts";
import { apiVersionOf } from "../resource.ts";
import { prefixOf } from "../stored.ts";

/** What a subresource shows of the object, where admission sees that instead: a Scale. */
export interface Shown {
  readonly kind: GroupVersionKind;
  of(object: JsonObject): JsonObject;
  /** The object with what admission made of what it was shown. */
  into(object: JsonObject, shown: JsonObject): JsonObject;
}

/** What of a request admission is told. */
type Asked = Pick<Call, "kernel" | "info" | "resource" | "request" | "warn">;

/** What admission is told of a request, without its object. `kind` where the object is not of the resource's own. */
export function admissionFor(call: Asked, operation: Operation, dryRun: boolean, kind?: GroupVersionKind): AdmissionRequest {
  const { kernel, info, resource, request } = call;
  return {
    operation,
    resource,
    subresource: info.subresource,
    namespace: info.namespace,
    name: info.verb === "deletecollection" ? "" : info.name,
    object: undefined,
    live: undefined,
    kind: kind ?? resource,
    user: request.user,
    dryRun,
    reinvocation: { wanted: false, again: false },
    lookup: lookupOf(kernel),
    signal: request.signal,
    options: () => (operation === "CREATE" || operation === "UPDATE" ? optionsOf(call, operation) : undefined),
    warn: call.warn,
    annotate: request.annotate ?? unheard,
  };
}

const unheard = () => {};

const KINDS = { CREATE: "CreateOptions", UPDATE: "UpdateOptions" } as const;
const SENT = ["dryRun", "fieldManager", "fieldValidation"] as const;

function optionsOf({ request }: Asked, operation: keyof typeof KINDS): JsonObject {
  const options: Record<string, Json> = { kind: KINDS[operation], apiVersion: "meta.k8s.io/v1" };
  for (const name of SENT) {
    const values = request.query.get(name);
    if (values?.[0] !== undefined && values[0] !== "") options[name] = name === "dryRun" ? values : values[0];
  }
  return options;
}

const lookups = new WeakMap<Kernel, AdmissionLookup>();

/** One for all requests: most plugins never look. */
function lookupOf(kernel: Kernel): AdmissionLookup {
  let lookup = lookups.get(kernel);
  if (lookup === undefined) {
    lookup = lookupIn(kernel);
    lookups.set(kernel, lookup);
  }
  return lookup;
}

function lookupIn({ registry, store, views }: Kernel): AdmissionLookup {
  const all = () => registry.groups().flatMap(({ versions }) => versions.flatMap(({ resources }) => resources));
  return {
    // Everything that is kept in the same place.
    equivalents: ({ storage }) => all().filter((each) => each.storage.prefix === storage.prefix),
    convert: (object, from, to) => views.convert(object, from, to),
    served: (apiVersion, kind) => all().find((each) => each.kind === kind && apiVersionOf(each) === apiVersion),
    async stored(resource, namespace) {
      const { entries } = await store.range(prefixOf(resource, namespace));
      return views.all(resource, entries);
    },
  };
}
