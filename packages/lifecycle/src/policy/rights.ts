import type { JsonObject } from "pintle/internal/json";

/** A rule of RBAC. */
export interface PolicyRule {
  readonly apiGroups?: readonly string[] | undefined;
  readonly resources?: readonly string[] | undefined;
  readonly resourceNames?: readonly string[] | undefined;
  readonly nonResourceURLs?: readonly string[] | undefined;
  readonly verbs: readonly string[];
}

/** A rule in one namespace, or in all. */
export interface ScopedRule {
  /** Undefined: in all namespaces. */
  readonly namespace: string | undefined;
  readonly rule: PolicyRule;
}

/** One verb on one resource, as a plan lists it. */
export interface Right {
  readonly namespace?: string;
  readonly verb: string;
  /** `resource.group`, or the path of a non-resource URL. */
  readonly resource: string;
  readonly name?: string;
}

/** The plural name of a kind in a group; undefined if it is not known. */
export type PluralOf = (apiVersion: string, kind: string) => string | undefined;

const RBAC_GROUP = "rbac.authorization.k8s.io";
/** What the manager does with an object that exists. */
const OBJECT_VERBS = ["get", "update", "patch", "delete"];

/**
 * The rights that are needed to apply objects, and to remove them again. Roles cannot grant what their creator lacks, so the rules of the roles are part of
 * it; roles that the objects only refer to must be bindable.
 */
export function deriveInstallerRules(objects: readonly JsonObject[], pluralOf: PluralOf): ScopedRule[] {
  const own = new Set(objects.filter(isRole).map((object) => roleKey(String(object["kind"]), readMetadata(object))));
  const rules: ScopedRule[] = [
    // An owner whose deletion waits for its objects may be set by those who may finalize it.
    {
      namespace: undefined,
      rule: { apiGroups: ["olm.operatorframework.io"], resources: ["clusterobjectsets/finalizers"], verbs: ["update"] },
    },
  ];
  const byResource = new Map<string, { namespace: string | undefined; group: string; plural: string; names: Set<string> }>();
  for (const object of objects) {
    const { name, namespace } = readMetadata(object);
    const group = groupOf(object);
    const plural = pluralOf(String(object["apiVersion"]), String(object["kind"])) ?? `${String(object["kind"]).toLowerCase()}s`;
    const key = `${namespace ?? ""}/${group}/${plural}`;
    const entry = byResource.get(key) ?? { namespace, group, plural, names: new Set() };
    byResource.set(key, entry);
    entry.names.add(name);
    rules.push(...deriveGrantRules(object, own));
  }
  for (const { namespace, group, plural, names } of byResource.values()) {
    const common = { apiGroups: [group], resources: [plural] };
    rules.push({ namespace, rule: { ...common, verbs: ["create"] } });
    rules.push({ namespace, rule: { ...common, resourceNames: [...names].sort(), verbs: OBJECT_VERBS } });
  }
  return mergeRules(rules);
}

/** What is needed to grant what a role or a binding grants. */
function deriveGrantRules(object: JsonObject, own: ReadonlySet<string>): ScopedRule[] {
  if (groupOf(object) !== RBAC_GROUP) return [];
  const { name, namespace } = readMetadata(object);
  const kind = String(object["kind"]);
  if (isRole(object)) {
    // What an aggregated role grants is not known before.
    if (object["aggregationRule"] !== undefined && object["aggregationRule"] !== null) {
      return [{ namespace, rule: { apiGroups: [RBAC_GROUP], resources: ["clusterroles"], resourceNames: [name], verbs: ["escalate"] } }];
    }
    return readRules(object).map((rule) => ({ namespace, rule }));
  }
  const { kind: roleKind = "", name: roleName = "" } = (object["roleRef"] ?? {}) as { readonly kind?: string; readonly name?: string };
  if (!kind.endsWith("Binding")) return [];
  const roleNamespace = roleKind === "Role" ? namespace : undefined;
  if (own.has(roleKey(roleKind, { name: roleName, namespace: roleNamespace }))) return [];
  const resource = roleKind === "Role" ? "roles" : "clusterroles";
  return [{ namespace, rule: { apiGroups: [RBAC_GROUP], resources: [resource], resourceNames: [roleName], verbs: ["bind"] } }];
}

/** The rules that `needed` has and `granted` does not cover, as rules. A rule for all namespaces covers those of each. */
export function findMissingRules(needed: readonly ScopedRule[], granted: readonly ScopedRule[]): ScopedRule[] {
  const missing = needed.flatMap(({ namespace, rule }) =>
    splitRule(rule)
      .filter((atom) => !granted.some((each) => (each.namespace === undefined || each.namespace === namespace) && covers(each.rule, atom)))
      .map((atom) => ({ namespace, rule: atom })),
  );
  return mergeRules(missing);
}

/** The rights that roles of a list of objects grant: what an operator may do. */
export function listOperatorRights(objects: readonly JsonObject[]): Right[] {
  const rights = objects.filter(isRole).flatMap((object) => {
    const { namespace } = readMetadata(object);
    return readRules(object).flatMap((rule) => splitRule(rule).map((atom) => toRight(namespace, atom)));
  });
  return [...new Map(rights.map((right) => [formatRight(right), right])).entries()]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, right]) => right);
}

/** The rights of `a` that `b` does not have. */
export function subtractRights(a: readonly Right[], b: readonly Right[]): Right[] {
  const others = new Set(b.map(formatRight));
  return a.filter((right) => !others.has(formatRight(right)));
}

/** Formats a right as `verb resource.group name in namespace`. */
export function formatRight({ namespace, verb, resource, name }: Right): string {
  return `${verb} ${resource}${name === undefined ? "" : ` ${name}`}${namespace === undefined ? "" : ` in ${namespace}`}`;
}

/** Formats rules for a message, one after the other. */
export function formatRules(rules: readonly ScopedRule[]): string {
  return rules
    .map(({ namespace, rule }) => {
      const { apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [], verbs } = rule;
      const what =
        nonResourceURLs.length > 0 ? nonResourceURLs.join(",") : resources.map((each) => withGroup(each, apiGroups[0] ?? "")).join(",");
      const names = resourceNames.length === 0 ? "" : ` ${resourceNames.join(",")}`;
      return `${verbs.join(",")} ${what}${names}${namespace === undefined ? "" : ` in ${namespace}`}`;
    })
    .join("; ");
}

const withGroup = (resource: string, group: string): string => (group === "" ? resource : `${resource}.${group}`);

function toRight(namespace: string | undefined, { apiGroups, resources, resourceNames, nonResourceURLs, verbs }: PolicyRule): Right {
  const resource = nonResourceURLs?.[0] ?? withGroup(resources?.[0] ?? "", apiGroups?.[0] ?? "");
  const name = resourceNames?.[0];
  return { ...(namespace === undefined ? {} : { namespace }), verb: verbs[0]!, resource, ...(name === undefined ? {} : { name }) };
}

/** One rule for each verb, group, resource and name. */
function splitRule({ apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [], verbs }: PolicyRule): PolicyRule[] {
  const names = resourceNames.length === 0 ? [undefined] : resourceNames;
  return verbs.flatMap((verb) => [
    ...nonResourceURLs.map((url) => ({ nonResourceURLs: [url], verbs: [verb] })),
    ...apiGroups.flatMap((group) =>
      resources.flatMap((resource) =>
        names.map((name) => ({
          apiGroups: [group],
          resources: [resource],
          ...(name === undefined ? {} : { resourceNames: [name] }),
          verbs: [verb],
        })),
      ),
    ),
  ]);
}

/** Whether a rule covers one that `splitRule` made, as the API server compares them when a role is created. */
function covers(owner: PolicyRule, atom: PolicyRule): boolean {
  const has = (list: readonly string[] | undefined, value: string) => (list ?? []).some((each) => each === "*" || each === value);
  if (!has(owner.verbs, atom.verbs[0]!)) return false;
  const [url] = atom.nonResourceURLs ?? [];
  if (url !== undefined) {
    return (owner.nonResourceURLs ?? []).some(
      (each) => each === "*" || each === url || (each.endsWith("*") && url.startsWith(each.slice(0, -1))),
    );
  }
  const [resource] = atom.resources!;
  const slash = resource!.indexOf("/");
  const anySubresource = slash === -1 ? undefined : `*${resource!.slice(slash)}`;
  if (!has(owner.apiGroups, atom.apiGroups![0]!)) return false;
  if (!has(owner.resources, resource!) && !(anySubresource !== undefined && owner.resources?.includes(anySubresource))) return false;
  const [name] = atom.resourceNames ?? [];
  const names = owner.resourceNames ?? [];
  return names.length === 0 || (name !== undefined && names.includes(name));
}

/** Combines rules that differ only in verbs, then those that differ only in names. Sorted, so that equal rights are equal rules. */
function mergeRules(rules: readonly ScopedRule[]): ScopedRule[] {
  const verbs = new Map<string, { readonly key: readonly (string | undefined)[]; readonly verbs: Set<string> }>();
  for (const { namespace, rule } of rules) {
    for (const atom of splitRule(rule)) {
      const key = [namespace, atom.nonResourceURLs?.[0], atom.apiGroups?.[0], atom.resources?.[0], atom.resourceNames?.[0]];
      const id = JSON.stringify(key.map((each) => each ?? null));
      const entry = verbs.get(id) ?? { key, verbs: new Set<string>() };
      verbs.set(id, entry);
      entry.verbs.add(atom.verbs[0]!);
    }
  }
  const names = new Map<
    string,
    { readonly key: readonly (string | undefined)[]; readonly verbs: readonly string[]; readonly names: Set<string> }
  >();
  for (const entry of verbs.values()) {
    const [namespace, url, group, resource, name] = entry.key;
    const sorted = [...entry.verbs].sort();
    const id = JSON.stringify([namespace ?? null, url ?? null, group ?? null, resource ?? null, name === undefined, sorted]);
    const merged = names.get(id) ?? { key: [namespace, url, group, resource], verbs: sorted, names: new Set<string>() };
    names.set(id, merged);
    if (name !== undefined) merged.names.add(name);
  }
  return [...names.entries()]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(
      ([
        ,
        {
          key: [namespace, url, group, resource],
          verbs: list,
          names: set,
        },
      ]) => ({
        namespace,
        rule:
          url !== undefined
            ? { nonResourceURLs: [url], verbs: list }
            : {
                apiGroups: [group ?? ""],
                resources: [resource ?? ""],
                ...(set.size === 0 ? {} : { resourceNames: [...set].sort() }),
                verbs: list,
              },
      }),
    );
}

function readRules(role: JsonObject): readonly PolicyRule[] {
  return ((role["rules"] ?? []) as unknown as readonly PolicyRule[]).map((rule) => ({ ...rule, verbs: rule.verbs ?? [] }));
}

function isRole(object: JsonObject): boolean {
  return groupOf(object) === RBAC_GROUP && (object["kind"] === "ClusterRole" || object["kind"] === "Role");
}

function roleKey(kind: string, { name, namespace }: { readonly name: string; readonly namespace: string | undefined }): string {
  return `${kind}/${kind === "Role" ? (namespace ?? "") : ""}/${name}`;
}

function groupOf(object: JsonObject): string {
  const apiVersion = String(object["apiVersion"]);
  const slash = apiVersion.indexOf("/");
  return slash === -1 ? "" : apiVersion.slice(0, slash);
}

function readMetadata(object: JsonObject): { readonly name: string; readonly namespace: string | undefined } {
  const { name = "", namespace } = (object["metadata"] ?? {}) as { readonly name?: string; readonly namespace?: string };
  return { name, namespace: namespace === "" ? undefined : namespace };
}
