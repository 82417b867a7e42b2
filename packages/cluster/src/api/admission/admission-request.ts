import type { Json, JsonObject } from "pintle/kinds";
import { formatApiVersion } from "../registry/served-resource.ts";
import { getHeader } from "../request/api-request.ts";
import type { RequestContext, ServerDependencies } from "../request-context.ts";
import { buildCollectionPrefix } from "../storage/storage-codec.ts";
import type { AdmissionLookup, AdmissionOperation, AdmissionRequest, GroupVersionKind } from "./admission-chain.ts";

/** A subresource as a view on the object, which admission sees instead: a Scale. */
export interface SubresourceView {
  readonly kind: GroupVersionKind;
  read(object: JsonObject): JsonObject;
  /** Returns the object with what admission changed in the view. */
  write(object: JsonObject, shown: JsonObject): JsonObject;
}

/** Builds the admission request without its object. `kind` where the object is of another kind than the resource. */
export function buildAdmissionRequest(
  context: RequestContext,
  operation: AdmissionOperation,
  dryRun: boolean,
  kind?: GroupVersionKind,
): AdmissionRequest {
  const { server, info, resource, request } = context;
  return {
    operation,
    resource,
    subresource: info.subresource,
    namespace: info.namespace,
    name: info.verb === "deletecollection" ? "" : info.name,
    object: undefined,
    live: undefined,
    kind: kind ?? resource,
    user: context.user,
    dryRun,
    reinvocation: { requested: false, isReinvocation: false, pluginContexts: undefined },
    lookup: server.admissionLookup,
    signal: request.signal,
    options: () => (operation === "CREATE" || operation === "UPDATE" ? buildOptions(context, operation) : undefined),
    warn: context.warn,
    auditId: context.auditId,
    traceparent: getHeader(request.headers, "traceparent"),
    addAuditAnnotation: context.addAuditAnnotation,
    recordCommit: context.recordCommit,
  };
}

const KINDS = { CREATE: "CreateOptions", UPDATE: "UpdateOptions" } as const;
const OPTION_PARAMETERS = ["dryRun", "fieldManager", "fieldValidation"] as const;

function buildOptions({ request }: RequestContext, operation: keyof typeof KINDS): JsonObject {
  const options: Record<string, Json> = { kind: KINDS[operation], apiVersion: "meta.k8s.io/v1" };
  for (const name of OPTION_PARAMETERS) {
    const values = request.query.get(name);
    if (values?.[0] !== undefined && values[0] !== "") options[name] = name === "dryRun" ? values : values[0];
  }
  return options;
}

/** Creates what admission plugins may read of the server: one for all requests. */
export function createAdmissionLookup({
  registry,
  store,
  storageCodec,
}: Pick<ServerDependencies, "registry" | "store" | "storageCodec">): AdmissionLookup {
  const listResources = () => registry.groups().flatMap(({ versions }) => versions.flatMap(({ resources }) => resources));
  return {
    // Resources with the same storage.
    findEquivalents: ({ storage }) => listResources().filter((each) => each.storage.prefix === storage.prefix),
    convert: (object, from, to) => storageCodec.convert(object, from, to),
    findResource: (apiVersion, kind) => listResources().find((each) => each.kind === kind && formatApiVersion(each) === apiVersion),
    async listStored(resource, namespace) {
      const { entries } = await store.range(buildCollectionPrefix(resource, namespace));
      return storageCodec.decodeAll(resource, entries);
    },
  };
}
