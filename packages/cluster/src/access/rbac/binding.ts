import { goQuote } from "../../status/index.ts";
import { accountUser } from "../service-account.ts";

/** A RoleBinding or ClusterRoleBinding, as it is stored. */
export interface Binding {
  readonly metadata: { readonly name: string; readonly namespace?: string | undefined };
  readonly subjects?: readonly Subject[] | undefined;
  readonly roleRef: RoleRef;
}
export interface Subject {
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string | undefined;
}
export interface RoleRef {
  readonly kind: string;
  readonly name: string;
}

/** Whom a binding names, as users and groups; of the same one named twice the first counts. */
export function subjectKeys({ metadata, subjects }: Binding): readonly { readonly id: string; readonly subject: Subject }[] {
  const found = new Map<string, Subject>();
  for (const subject of subjects ?? []) {
    const id = subjectKey(subject, metadata.namespace ?? "");
    if (id !== undefined && !found.has(id)) found.set(id, subject);
  }
  return [...found].map(([id, subject]) => ({ id, subject }));
}

function subjectKey({ kind, name, namespace = "" }: Subject, place: string): string | undefined {
  switch (kind) {
    case "User":
    case "Group":
      return `${kind} ${name}`;
    case "ServiceAccount": {
      const home = namespace === "" ? place : namespace;
      return home === "" ? undefined : `User ${accountUser({ namespace: home, name })}`;
    }
    default:
      return undefined;
  }
}

export function subjectText({ kind, name, namespace = "" }: Subject): string {
  return `${kind} ${goQuote(kind === "ServiceAccount" ? `${name}/${namespace}` : name)}`;
}

/** Where the role is stored that a binding in `namespace` refers to. */
export function roleKey({ kind, name }: RoleRef, namespace: string): string {
  return kind === "ClusterRole" ? `/registry/clusterroles/${name}` : `/registry/roles/${namespace}/${name}`;
}
