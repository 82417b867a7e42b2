import { InvalidResource } from "../invalid-resource.ts";

/** The names of a custom resource. */
export interface ResourceNames {
  readonly group: string;
  readonly kind: string;
  readonly listKind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames?: readonly string[] | undefined;
  readonly categories?: readonly string[] | undefined;
}

/** The names that the user gives to `defineResource`. */
interface NameOptions {
  readonly group: string;
  readonly kind: string;
  readonly listKind?: string | undefined;
  readonly plural?: string | undefined;
  readonly singular?: string | undefined;
  readonly shortNames?: readonly string[] | undefined;
  readonly categories?: readonly string[] | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
}

/** Returns all names of a resource. Throws `InvalidResource` for a name that the API server would reject. */
export function resolveNames(options: NameOptions): ResourceNames {
  const { group, kind, shortNames, categories } = options;
  checkGroup(group, "group");
  // With the suffix "List" it must not exceed 63 characters.
  if (!/^[A-Z][A-Za-z0-9]{0,58}$/.test(kind)) throw new InvalidResource("kind", `"${kind}" is not a kind`, 'write it like "MyKind"');
  const lower = kind.toLowerCase();
  const { plural = pluralize(lower), singular = lower, listKind = `${kind}List` } = options;
  checkDnsLabel(plural, "plural");
  checkDnsLabel(singular, "singular");
  if (!/^[A-Z][A-Za-z0-9]{0,62}$/.test(listKind) || listKind === kind) {
    throw new InvalidResource("listKind", `"${listKind}" cannot name the list`, `remove it: the default is ${kind}List`);
  }
  shortNames?.forEach((name, i) => {
    checkDnsLabel(name, `shortNames[${i}]`);
  });
  categories?.forEach((name, i) => {
    checkDnsLabel(name, `categories[${i}]`);
  });
  if (`${plural}.${group}`.length > 253) throw new InvalidResource("group", `${plural}.${group} is too long`, "stay within 253 characters");
  checkGroupApproval(options);
  checkLabelsAndAnnotations(options);
  return { group, kind, listKind, plural, singular, shortNames, categories };
}

/** Returns the name of a version, as in `/apis/<group>/<version>`, if it is valid. */
export function checkVersionName(name: string): string {
  return checkDnsLabel(name, "version");
}

/** Returns the English plural as Kubernetes code generators form it: policies, statuses, boxes, meshes, matches, gateways. */
export function pluralize(word: string): string {
  if (/[^aeiou]y$/.test(word)) return `${word.slice(0, -1)}ies`;
  return /(s|x|ch|sh)$/.test(word) ? `${word}es` : `${word}s`;
}

function checkDnsLabel(name: string, path: string): string {
  if (/^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(name) && name.length <= 63) return name;
  throw new InvalidResource(path, `"${name}" is not a DNS label`, "use at most 63 lower-case letters, digits and dashes, a letter first");
}

const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

function checkGroup(group: string, path: string): void {
  if (SUBDOMAIN.test(group) && group.includes(".") && group.length <= 253) return;
  throw new InvalidResource(path, `"${group}" is not a domain with at least one dot`, 'use one you own, like "cache.example.com"');
}

/** The API server does not serve definitions in the domains of Kubernetes without an approval annotation. */
function checkGroupApproval({ group, annotations }: NameOptions): void {
  if (!/(^|\.)(k8s|kubernetes)\.io$/.test(group) || annotations?.["api-approved.kubernetes.io"] !== undefined) return;
  const advice = 'use a domain of your own, or set annotations: { "api-approved.kubernetes.io": "<link>" }';
  throw new InvalidResource("group", `"${group}" is reserved for Kubernetes itself`, advice);
}

function checkLabelsAndAnnotations({ labels = {}, annotations = {} }: NameOptions): void {
  for (const [key, value] of Object.entries(labels)) {
    checkQualifiedName(key, "labels");
    if (value.length <= 63 && /^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$/.test(value)) continue;
    throw new InvalidResource(
      `labels["${key}"]`,
      `"${value}" is not a label value`,
      "use at most 63 letters, digits, dashes, dots and underscores",
    );
  }
  for (const key of Object.keys(annotations)) checkQualifiedName(key, "annotations");
}

function checkQualifiedName(key: string, path: string): void {
  const slash = key.indexOf("/");
  const name = key.slice(slash + 1);
  const prefixed = slash < 0 || (SUBDOMAIN.test(key.slice(0, slash)) && slash <= 253);
  if (prefixed && name.length <= 63 && /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/.test(name)) return;
  throw new InvalidResource(path, `"${key}" is not a key`, 'write it like "example.com/name" or "name"');
}
