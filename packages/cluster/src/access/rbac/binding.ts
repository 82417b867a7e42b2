import { quoteGoString } from "pintle/internal/go-format";
import { makeServiceAccountUsername } from "../service-account.ts";

/** A stored RoleBinding or ClusterRoleBinding. */
export interface RbacBinding {
  readonly metadata: { readonly name: string; readonly namespace?: string | undefined };
  readonly subjects?: readonly RbacSubject[] | undefined;
  readonly roleRef: RoleRef;
}
export interface RbacSubject {
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string | undefined;
}
export interface RoleRef {
  readonly kind: string;
  readonly name: string;
}

/** Returns the subjects of a binding as user and group keys; the first of duplicates wins. */
export function listSubjectKeys({ metadata, subjects }: RbacBinding): readonly { readonly id: string; readonly subject: RbacSubject }[] {
  const found = new Map<string, RbacSubject>();
  for (const subject of subjects ?? []) {
    const id = getSubjectKey(subject, metadata.namespace ?? "");
    if (id !== undefined && !found.has(id)) found.set(id, subject);
  }
  return [...found].map(([id, subject]) => ({ id, subject }));
}

function getSubjectKey({ kind, name, namespace = "" }: RbacSubject, bindingNamespace: string): string | undefined {
  switch (kind) {
    case "User":
    case "Group":
      return `${kind} ${name}`;
    case "ServiceAccount": {
      const accountNamespace = namespace === "" ? bindingNamespace : namespace;
      return accountNamespace === "" ? undefined : `User ${makeServiceAccountUsername({ namespace: accountNamespace, name })}`;
    }
    default:
      return undefined;
  }
}

export function formatSubject({ kind, name, namespace = "" }: RbacSubject): string {
  return `${kind} ${quoteGoString(kind === "ServiceAccount" ? `${name}/${namespace}` : name)}`;
}

/** Returns the storage key of the role that a binding in `namespace` refers to. */
export function getRoleStorageKey({ kind, name }: RoleRef, namespace: string): string {
  return kind === "ClusterRole" ? `/registry/clusterroles/${name}` : `/registry/roles/${namespace}/${name}`;
}
