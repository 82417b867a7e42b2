import type { JsonObject } from "pintle/kinds";
import type { KindName, OperatorDescription } from "../project/index.ts";

/** The CRDs of the operator, one entry per version, with descriptors from the descriptions of the schema and the kinds of the children. */
export function buildOwnedDefinitions({ resources, controllers }: OperatorDescription, objects: readonly JsonObject[]): JsonObject[] {
  const used = listMisjudgedKinds(objects);
  return resources.flatMap(({ crd: { metadata, spec } }) => {
    const { kind } = spec.names;
    const children = controllers.filter(({ primary }) => primary.group === spec.group && primary.kind === kind).flatMap(({ owns }) => owns);
    const listed = (own: KindName) => listResources([...(children.length === 0 ? [own] : children), ...used]);
    return spec.versions.map((version) => {
      const schema = (version.schema?.openAPIV3Schema ?? {}) as JsonObject;
      return {
        name: metadata.name,
        version: version.name,
        kind,
        displayName: splitWords(kind),
        description: String(schema["description"] ?? `${splitWords(kind)} of the group ${spec.group}.`),
        resources: listed({ group: spec.group, version: version.name, kind }),
        ...optional("specDescriptors", buildDescriptors(schema, "spec")),
        ...optional("statusDescriptors", buildDescriptors(schema, "status")),
      };
    });
  });
}

/** Kinds that belong to an object: its children, or the object itself if it has none, because scorecard wants at least one. */
function listResources(kinds: readonly KindName[]): JsonObject[] {
  const resources = kinds.map(({ group, version, kind }) => ({ kind, name: "", version: group === "" ? version : `${group}/${version}` }));
  return [...new Map(resources.map((resource) => [JSON.stringify(resource), resource])).values()];
}

/** Resources with a beta version that Kubernetes 1.25 removed, and the kind in the version that it serves. */
const SERVED: Readonly<Record<string, KindName>> = {
  "batch/cronjobs": { group: "batch", version: "v1", kind: "CronJob" },
  "discovery.k8s.io/endpointslices": { group: "discovery.k8s.io", version: "v1", kind: "EndpointSlice" },
  "events.k8s.io/events": { group: "events.k8s.io", version: "v1", kind: "Event" },
  "autoscaling/horizontalpodautoscalers": { group: "autoscaling", version: "v2", kind: "HorizontalPodAutoscaler" },
  "policy/poddisruptionbudgets": { group: "policy", version: "v1", kind: "PodDisruptionBudget" },
  "node.k8s.io/runtimeclasses": { group: "node.k8s.io", version: "v1", kind: "RuntimeClass" },
};

/** operator-sdk takes a rule for one of these resources for the use of the removed version, unless the kind is listed with its version. */
function listMisjudgedKinds(objects: readonly JsonObject[]): KindName[] {
  const rules = objects.flatMap(({ kind, rules: list }) => (/^(Cluster)?Role$/.test(String(kind)) ? (list as readonly JsonObject[]) : []));
  return Object.entries(SERVED)
    .filter(([name]) =>
      rules.some(({ apiGroups = [], resources = [] }) => {
        const [group, resource] = name.split("/");
        return (apiGroups as readonly string[]).includes(group!) && (resources as readonly string[]).includes(resource!);
      }),
    )
    .map(([, kind]) => kind);
}

function buildDescriptors(schema: JsonObject, part: "spec" | "status"): JsonObject[] {
  const properties = ((schema["properties"] as JsonObject | undefined)?.[part] as JsonObject | undefined)?.["properties"] as
    | JsonObject
    | undefined;
  return Object.entries(properties ?? {}).map(([path, property]) => {
    const { description } = property as JsonObject;
    return {
      path,
      displayName: splitWords(path),
      ...(description === undefined ? {} : { description }),
      ...optional("x-descriptors", listControls(path, property as JsonObject, part)),
    };
  });
}

/** How consoles show a field: the controls that OpenShift and OKD know. */
function listControls(path: string, { type, enum: values, ...property }: JsonObject, part: "spec" | "status"): string[] {
  const control = (name: string) => `urn:alm:descriptor:com.tectonic.ui:${name}`;
  if (part === "status") {
    if (path === "conditions" && type === "array") return ["urn:alm:descriptor:io.kubernetes.conditions"];
    if (path === "phase" && type === "string") return ["urn:alm:descriptor:io.kubernetes.phase"];
    return [];
  }
  if (type === "boolean") return [control("booleanSwitch")];
  if ((type === "integer" || type === "number") && path === "replicas") return [control("podCount")];
  if (type === "integer" || type === "number") return [control("number")];
  if (Array.isArray(values)) return values.map((value) => control(`select:${String(value)}`));
  if (path === "resources" && type === "object" && Object.hasOwn((property["properties"] ?? {}) as JsonObject, "limits")) {
    return [control("resourceRequirements")];
  }
  return type === "string" ? [control("text")] : [];
}

/** `maxReplicas` -> `Max Replicas`. */
function splitWords(name: string): string {
  const words = name.replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2");
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
}

function optional<T>(name: string, entries: readonly T[]): { readonly [name: string]: readonly T[] } {
  return entries.length === 0 ? {} : { [name]: entries };
}
