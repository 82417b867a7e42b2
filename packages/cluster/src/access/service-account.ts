const PREFIX = "system:serviceaccount:";
const GROUP = "system:serviceaccounts";

export interface ServiceAccountName {
  readonly namespace: string;
  readonly name: string;
}

/** Returns the username of a ServiceAccount: "system:serviceaccount:default:builder". */
export function makeServiceAccountUsername({ namespace, name }: ServiceAccountName): string {
  return `${PREFIX}${namespace}:${name}`;
}

/** Returns the groups of every ServiceAccount in the namespace. */
export function makeServiceAccountGroups(namespace: string): readonly string[] {
  return [GROUP, `${GROUP}:${namespace}`];
}

/** Parses the username of a ServiceAccount; undefined for other users. */
export function parseServiceAccountUsername(user: string): ServiceAccountName | undefined {
  if (!user.startsWith(PREFIX)) return undefined;
  const [namespace = "", name = "", ...rest] = user.slice(PREFIX.length).split(":");
  return rest.length === 0 && isLabel(namespace) && isSubdomain(name) ? { namespace, name } : undefined;
}

const isLabel = (text: string) => /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(text);
const isSubdomain = (text: string) => text.length <= 253 && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/.test(text);
