import type { KindInfo } from "../kinds/index.ts";
import type { AnyResource } from "../resource/index.ts";
import type { ManagerOptions } from "./options.ts";

/** Collects the custom resources that an operator uses, each once, sorted by CRD file name. */
export function collectResources({
  controllers,
  webhooks = [],
  resources = [],
}: Pick<ManagerOptions, "controllers" | "webhooks" | "resources">): readonly AnyResource[] {
  const touched = controllers.flatMap((each) => [each.kind, ...each.owns, ...Object.values(each.watches).map(({ kind }) => kind)]);
  const kinds: readonly KindInfo[] = [...resources, ...touched, ...webhooks.map(({ kind }) => kind)];
  const ours = new Map<string, AnyResource>();
  // A resource can appear with and without its older versions: keep the one with more versions.
  for (const each of kinds.filter(isResource)) {
    const known = ours.get(each.crdFileName);
    if (known === undefined || countVersions(each) > countVersions(known)) ours.set(each.crdFileName, each);
  }
  return [...ours].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => each);
}

const countVersions = (resource: AnyResource) => resource.crd().spec.versions.length;

function isResource(kind: object): kind is AnyResource {
  return "crd" in kind && typeof kind.crd === "function" && "crdFileName" in kind;
}
