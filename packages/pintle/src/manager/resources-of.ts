import type { KindFacts } from "../kinds/index.ts";
import type { AnyResource } from "../resource/index.ts";
import type { StartOptions } from "./options.ts";

/** Every resource of our own that an operator touches, each once, in the order of their files. */
export function resourcesOf({
  controllers,
  webhooks = [],
  resources = [],
}: Pick<StartOptions, "controllers" | "webhooks" | "resources">): readonly AnyResource[] {
  const touched = controllers.flatMap((each) => [each.kind, ...each.owns, ...Object.values(each.watches).map(({ kind }) => kind)]);
  const kinds: readonly KindFacts[] = [...resources, ...touched, ...webhooks.map(({ kind }) => kind)];
  const ours = new Map<string, AnyResource>();
  // Of one that is here with more and with fewer versions, the one with more.
  for (const each of kinds.filter(isResource)) {
    const known = ours.get(each.crdFileName);
    if (known === undefined || versionsOf(each) > versionsOf(known)) ours.set(each.crdFileName, each);
  }
  return [...ours].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => each);
}

const versionsOf = (resource: AnyResource) => resource.crd().spec.versions.length;

function isResource(kind: object): kind is AnyResource {
  return "crd" in kind && typeof kind.crd === "function" && "crdFileName" in kind;
}
