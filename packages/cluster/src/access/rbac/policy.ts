import { quoteGoString } from "pintle/internal/go-format";
import type { JsonObject } from "pintle/kinds";
import type { UserInfo } from "../../api/index.ts";
import type { ObjectStore } from "../../store/index.ts";
import { formatSubject, getRoleStorageKey, type RbacBinding, type RoleRef } from "./binding.ts";
import { type BoundSubject, createBindingIndex } from "./binding-index.ts";
import type { PolicyRule } from "./rule.ts";

/** The rules that one binding grants to one user. */
export interface RbacGrant {
  readonly rules: readonly PolicyRule[];
  /** For example `ClusterRoleBinding "b" of ClusterRole "r" to User "u"`. */
  describe(): string;
  /** The referenced role, if it does not exist. */
  readonly missingRole?: RoleRef | undefined;
}

/** The stored roles and bindings. */
export interface RbacPolicy {
  /** Returns the grants of a user in a namespace ("" for cluster-wide ones), sorted by binding name. */
  getGrants(user: UserInfo, namespace: string): readonly RbacGrant[];
  /** Returns the rules of a role; undefined if it does not exist. */
  getRoleRules(role: RoleRef, namespace: string): readonly PolicyRule[] | undefined;
  stop(): void;
}

const ROLES = ["/registry/clusterroles/", "/registry/roles/"];
const BINDINGS = ["/registry/clusterrolebindings/", "/registry/rolebindings/"];

const NO_GRANTS: readonly RbacGrant[] = [];

/** Watches roles and bindings in the store; a change applies to the next authorization. */
export async function watchRbacPolicy(store: ObjectStore): Promise<RbacPolicy> {
  const roles = new Map<string, readonly PolicyRule[]>();
  const index = createBindingIndex();
  // Grants are computed once per user and dropped on any change: authorizations are more frequent than policy changes.
  let grantsByUser = new WeakMap<UserInfo, Map<string, readonly RbacGrant[]>>();

  const setRole = (key: string, value: JsonObject | undefined) => {
    if (value === undefined) roles.delete(key);
    else roles.set(key, (value["rules"] ?? []) as unknown as readonly PolicyRule[]);
  };
  const setBinding = (key: string, value: JsonObject | undefined) => index.set(key, value as RbacBinding | undefined);
  const watches = [
    ...ROLES.map((prefix) => watchPrefix(store, prefix, setRole, clearGrants)),
    ...BINDINGS.map((prefix) => watchPrefix(store, prefix, setBinding, clearGrants)),
  ];
  const stops = await Promise.all(watches);

  function clearGrants(): void {
    grantsByUser = new WeakMap();
  }
  const getRoleRules = (role: RoleRef, namespace: string) => roles.get(getRoleStorageKey(role, namespace));
  const grantOf = ({ binding, subject }: BoundSubject, namespace: string): RbacGrant => {
    const { roleRef, metadata } = binding;
    const rules = getRoleRules(roleRef, namespace);
    const kind = namespace === "" ? "ClusterRoleBinding" : "RoleBinding";
    const name = namespace === "" ? metadata.name : `${metadata.name}/${namespace}`;
    const describe = () => `${kind} ${quoteGoString(name)} of ${roleRef.kind} ${quoteGoString(roleRef.name)} to ${formatSubject(subject)}`;
    return rules === undefined ? { rules: [], describe, missingRole: roleRef } : { rules, describe };
  };

  return {
    getRoleRules,
    getGrants(user, namespace) {
      if (!index.has(namespace)) return NO_GRANTS;
      let byNamespace = grantsByUser.get(user);
      if (byNamespace === undefined) {
        byNamespace = new Map();
        grantsByUser.set(user, byNamespace);
      }
      let grants = byNamespace.get(namespace);
      if (grants === undefined) {
        grants = index.findBindings(user, namespace).map((bound) => grantOf(bound, namespace));
        byNamespace.set(namespace, grants);
      }
      return grants;
    },
    stop() {
      for (const stop of stops) stop();
    },
  };
}

async function watchPrefix(
  store: ObjectStore,
  prefix: string,
  onObject: (key: string, value: JsonObject | undefined) => void,
  onChange: () => void,
): Promise<() => void> {
  const { entries, revision } = await store.range(prefix);
  for (const { key, value } of entries) onObject(key, value);
  return store.watch(prefix, revision, ({ type, key, value }) => {
    onObject(key, type === "put" ? value : undefined);
    onChange();
  });
}
