import type { JsonObject } from "pintle/kinds";
import type { UserInfo } from "../../api/index.ts";
import { goQuote } from "../../status/index.ts";
import type { Store } from "../../store/index.ts";
import { type Binding, type RoleRef, roleKey, subjectText } from "./binding.ts";
import { type Bound, bindingIndex } from "./binding-index.ts";
import type { PolicyRule } from "./rule.ts";

/** What one binding gives to one user. */
export interface Grant {
  readonly rules: readonly PolicyRule[];
  /** `ClusterRoleBinding "b" of ClusterRole "r" to User "u"`. */
  by(): string;
  /** The role it refers to, when there is none. */
  readonly missing?: RoleRef | undefined;
}

/** The roles and bindings that are stored, as of now. */
export interface Policy {
  /** What is bound to the user in a namespace; in "" what holds everywhere. By name of the binding. */
  grants(user: UserInfo, namespace: string): readonly Grant[];
  /** Undefined: there is no such role. */
  rulesOf(role: RoleRef, namespace: string): readonly PolicyRule[] | undefined;
  stop(): void;
}

const ROLES = ["/registry/clusterroles/", "/registry/roles/"];
const BINDINGS = ["/registry/clusterrolebindings/", "/registry/rolebindings/"];

const NONE: readonly Grant[] = [];

/** Follows the store: a change of roles and bindings holds for the next question. */
export async function followPolicy(store: Store): Promise<Policy> {
  const roles = new Map<string, readonly PolicyRule[]>();
  const index = bindingIndex();
  // Grants are worked out once per user, and forgotten with any change: users ask more often than roles change.
  let known = new WeakMap<UserInfo, Map<string, readonly Grant[]>>();

  const followRole = (key: string, value: JsonObject | undefined) => {
    if (value === undefined) roles.delete(key);
    else roles.set(key, (value["rules"] ?? []) as unknown as readonly PolicyRule[]);
  };
  const followBinding = (key: string, value: JsonObject | undefined) => index.set(key, value as Binding | undefined);
  const following = [
    ...ROLES.map((prefix) => follow(store, prefix, followRole, forget)),
    ...BINDINGS.map((prefix) => follow(store, prefix, followBinding, forget)),
  ];
  const stops = await Promise.all(following);

  function forget(): void {
    known = new WeakMap();
  }
  const rulesOf = (role: RoleRef, namespace: string) => roles.get(roleKey(role, namespace));
  const grantOf = ({ binding, subject }: Bound, namespace: string): Grant => {
    const { roleRef, metadata } = binding;
    const rules = rulesOf(roleRef, namespace);
    const kind = namespace === "" ? "ClusterRoleBinding" : "RoleBinding";
    const name = namespace === "" ? metadata.name : `${metadata.name}/${namespace}`;
    const by = () => `${kind} ${goQuote(name)} of ${roleRef.kind} ${goQuote(roleRef.name)} to ${subjectText(subject)}`;
    return rules === undefined ? { rules: [], by, missing: roleRef } : { rules, by };
  };

  return {
    rulesOf,
    grants(user, namespace) {
      if (!index.has(namespace)) return NONE;
      let places = known.get(user);
      if (places === undefined) {
        places = new Map();
        known.set(user, places);
      }
      let grants = places.get(namespace);
      if (grants === undefined) {
        grants = index.of(user, namespace).map((bound) => grantOf(bound, namespace));
        places.set(namespace, grants);
      }
      return grants;
    },
    stop() {
      for (const stop of stops) stop();
    },
  };
}

async function follow(
  store: Store,
  prefix: string,
  see: (key: string, value: JsonObject | undefined) => void,
  changed: () => void,
): Promise<() => void> {
  const { entries, revision } = await store.range(prefix);
  for (const { key, value } of entries) see(key, value);
  return store.watch(prefix, revision, ({ type, key, value }) => {
    see(key, type === "put" ? value : undefined);
    changed();
  });
}
