const PREFIX = "system:serviceaccount:";
const GROUP = "system:serviceaccounts";

export interface AccountName {
  readonly namespace: string;
  readonly name: string;
}

/** The user a ServiceAccount is: "system:serviceaccount:default:builder". */
export function accountUser({ namespace, name }: AccountName): string {
  return `${PREFIX}${namespace}:${name}`;
}

/** The groups every ServiceAccount of the namespace is in. */
export function accountGroups(namespace: string): readonly string[] {
  return [GROUP, `${GROUP}:${namespace}`];
}

/** The ServiceAccount a user is; undefined: none. */
export function accountOf(user: string): AccountName | undefined {
  if (!user.startsWith(PREFIX)) return undefined;
  const [namespace = "", name = "", ...rest] = user.slice(PREFIX.length).split(":");
  return rest.length === 0 && isLabel(namespace) && isSubdomain(name) ? { namespace, name } : undefined;
}

const isLabel = (text: string) => /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(text);
const isSubdomain = (text: string) => text.length <= 253 && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/.test(text);
