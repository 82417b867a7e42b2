import type { KindFacts } from "../kinds/index.ts";
import { type Controller, isApart } from "./controller.ts";
import type { PolicyRule } from "./grants.ts";

/** A rule as a Role holds it, sorted so that the same declarations always give the same file. */
export interface Rule extends PolicyRule {
  readonly apiGroups: readonly [string];
  readonly resources: readonly [string];
}

const READ = ["get", "list", "watch"];
const OWN = [...READ, "create", "patch", "delete"];
const RBAC = "rbac.authorization.k8s.io";

/** What these controllers may do, from what they declare. Nothing is guessed: what cannot be derived is asked for. */
export function rules(controllers: readonly Controller[]): readonly Rule[] {
  const found = new Map<
    string,
    { readonly group: string; readonly resource: string; readonly names: readonly string[]; readonly verbs: Set<string> }
  >();
  const add = (group: string, resource: string, verbs: readonly string[], names: readonly string[] = []) => {
    const key = JSON.stringify([group, resource, names]);
    const known = found.get(key) ?? { group, resource, names, verbs: new Set<string>() };
    for (const verb of verbs) known.verbs.add(verb);
    found.set(key, known);
  };
  const on = (kind: KindFacts, verbs: readonly string[], subresource?: string, names?: readonly string[]) =>
    add(kind.group, subresource === undefined ? kind.plural : `${kind.plural}/${subresource}`, verbs, names);

  for (const controller of controllers) {
    const { kind, owns, formerly, watches, needs } = controller;
    on(kind, READ);
    if (kind.subresources.includes("status")) on(kind, ["patch"], "status");
    if (controller.finalizer !== undefined) on(kind, ["patch"]);
    // blockOwnerDeletion, where the server enforces it.
    if (owns.some((child) => !isApart(kind, child) || child.scope === "Namespaced")) on(kind, ["update"], "finalizers");
    for (const child of owns) on(child, OWN);
    for (const former of formerly) on(former, [...READ, "delete"]);
    for (const watched of Object.values(watches)) on(watched.kind, READ);
    for (const need of needs) {
      if ("grants" in need) for (const rule of need.grants) spread(rule, add);
      else for (const verb of need.verbs) on(need.kind, [verb.slice(verb.lastIndexOf("/") + 1)], subresourceOf(verb), need.names);
    }
    const grantor = owns.find((child) => child.group === RBAC && child.kind.endsWith("Role"));
    if (grantor !== undefined && !needs.some((need) => "grants" in need))
      throw new TypeError(
        `controller ${controller.name} owns ${grantor.kind}: say with grants(...) in \`needs\` what these roles may grant`,
      );
  }
  return [...found.values()]
    .map(
      ({ group, resource, names, verbs }): Rule => ({
        apiGroups: [group],
        resources: [resource],
        ...(names.length === 0 ? {} : { resourceNames: names }),
        verbs: [...verbs].sort(),
      }),
    )
    .sort((a, b) => compare(orderOf(a), orderOf(b)));
}

function subresourceOf(verb: string): string | undefined {
  const slash = verb.lastIndexOf("/");
  return slash < 0 ? undefined : verb.slice(0, slash);
}

function spread(
  { apiGroups, resources, verbs, resourceNames }: PolicyRule,
  add: (group: string, resource: string, verbs: readonly string[], names?: readonly string[]) => void,
): void {
  for (const group of apiGroups) for (const resource of resources) add(group, resource, verbs, resourceNames);
}

const orderOf = ({ apiGroups, resources, resourceNames = [] }: Rule) => [apiGroups[0], resources[0], ...resourceNames].join(" ");
const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
