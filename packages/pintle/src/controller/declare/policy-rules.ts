import type { KindInfo } from "../../kinds/index.ts";
import { InvalidUsage } from "../errors.ts";
import { type Controller, canBeCrossNamespace } from "./controller.ts";
import type { PolicyRule } from "./policy-rule-grant.ts";

/** A policy rule for one API group and one resource. */
export interface ResourcePolicyRule extends PolicyRule {
  readonly apiGroups: readonly [string];
  readonly resources: readonly [string];
}

const READ = ["get", "list", "watch"];
const OWN = [...READ, "create", "patch", "delete"];
const RBAC = "rbac.authorization.k8s.io";

/**
 * Derives the RBAC rules of controllers from their declarations. The result is sorted: the same declarations always give the same rules. Throws if a
 * controller owns Roles without `grantPolicyRules()` or the verb `escalate` in `needs`.
 *
 * @example
 * ```ts
 * import { controller, defineResource, policyRules, z } from "pintle";
 *
 * const Memcached = defineResource({ group: "cache.example.com", version: "v1", kind: "Memcached", spec: z.object({ size: z.int() }) });
 * const memcached = controller(Memcached, { reconcile() {} });
 *
 * export const rules = policyRules([memcached]);
 * ```
 */
export function policyRules(controllers: readonly Controller[]): readonly ResourcePolicyRule[] {
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
  const addKindRule = (kind: KindInfo, verbs: readonly string[], subresource?: string, names?: readonly string[]) =>
    add(kind.group, subresource === undefined ? kind.plural : `${kind.plural}/${subresource}`, verbs, names);

  for (const controller of controllers) {
    const { kind, owns, formerly, watches, needs } = controller;
    addKindRule(kind, READ);
    if (kind.subresources.includes("status")) addKindRule(kind, ["patch"], "status");
    if (controller.finalizer !== undefined) addKindRule(kind, ["patch"]);
    // For blockOwnerDeletion, where the API server enforces OwnerReferencesPermissionEnforcement.
    if (owns.some((child) => !canBeCrossNamespace(kind, child) || child.scope === "Namespaced"))
      addKindRule(kind, ["update"], "finalizers");
    for (const child of owns) addKindRule(child, OWN);
    for (const former of formerly) addKindRule(former, [...READ, "delete"]);
    for (const watched of Object.values(watches)) addKindRule(watched.kind, READ);
    for (const need of needs) {
      if ("grants" in need) for (const rule of need.grants) addGrantedRule(rule, add);
      else for (const verb of need.verbs) addKindRule(need.kind, [verb.slice(verb.lastIndexOf("/") + 1)], subresourceOf(verb), need.names);
    }
    const mayEscalate = ({ id }: KindInfo) =>
      needs.some((need) => !("grants" in need) && need.id === id && need.verbs.includes("escalate") && need.names === undefined);
    const grantor = owns.find((child) => child.group === RBAC && child.kind.endsWith("Role") && !mayEscalate(child));
    if (grantor !== undefined && !needs.some((need) => "grants" in need))
      throw new InvalidUsage(
        "PINTLE3004",
        `controller ${controller.name} owns ${grantor.kind}: declare with grantPolicyRules(...) in \`needs\` what these roles may grant, or allow(${grantor.kind}, "escalate")`,
      );
  }
  return [...found.values()]
    .map(
      ({ group, resource, names, verbs }): ResourcePolicyRule => ({
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

function addGrantedRule(
  { apiGroups, resources, verbs, resourceNames }: PolicyRule,
  add: (group: string, resource: string, verbs: readonly string[], names?: readonly string[]) => void,
): void {
  for (const group of apiGroups) for (const resource of resources) add(group, resource, verbs, resourceNames);
}

const orderOf = ({ apiGroups, resources, resourceNames = [] }: ResourcePolicyRule) =>
  [apiGroups[0], resources[0], ...resourceNames].join(" ");
const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
