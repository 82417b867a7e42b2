import { InvalidResource } from "./invalid-resource.ts";

export interface Names {
  readonly group: string;
  readonly kind: string;
  readonly listKind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames?: readonly string[] | undefined;
  readonly categories?: readonly string[] | undefined;
}

interface Said {
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

/** All names of a resource, each one checked the way the server will. */
export function names(said: Said): Names {
  const { group, kind, shortNames, categories } = said;
  domain(group, "group");
  // Room is left for the List of 63 letters.
  if (!/^[A-Z][A-Za-z0-9]{0,58}$/.test(kind)) throw new InvalidResource("kind", `"${kind}" is not a kind`, 'write it like "MyKind"');
  const lower = kind.toLowerCase();
  const { plural = pluralOf(lower), singular = lower, listKind = `${kind}List` } = said;
  label(plural, "plural");
  label(singular, "singular");
  if (!/^[A-Z][A-Za-z0-9]{0,62}$/.test(listKind) || listKind === kind) {
    throw new InvalidResource("listKind", `"${listKind}" cannot name the list`, `leave it out: it is ${kind}List then`);
  }
  shortNames?.forEach((name, i) => {
    label(name, `shortNames[${i}]`);
  });
  categories?.forEach((name, i) => {
    label(name, `categories[${i}]`);
  });
  if (`${plural}.${group}`.length > 253) throw new InvalidResource("group", `${plural}.${group} is too long`, "stay within 253 characters");
  approved(said);
  labelled(said);
  return { group, kind, listKind, plural, singular, shortNames, categories };
}

/** A version's name, also in `/apis/<group>/<version>`. */
export function versionName(name: string): string {
  return label(name, "version");
}

/** English as code generators speak it: policies, statuses, boxes, meshes, matches, gateways. */
export function pluralOf(word: string): string {
  if (/[^aeiou]y$/.test(word)) return `${word.slice(0, -1)}ies`;
  return /(s|x|ch|sh)$/.test(word) ? `${word}es` : `${word}s`;
}

function label(name: string, path: string): string {
  if (/^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(name) && name.length <= 63) return name;
  throw new InvalidResource(path, `"${name}" is not a DNS label`, "use at most 63 lower-case letters, digits and dashes, a letter first");
}

const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

function domain(group: string, path: string): void {
  if (SUBDOMAIN.test(group) && group.includes(".") && group.length <= 253) return;
  throw new InvalidResource(path, `"${group}" is not a domain with at least one dot`, 'use one you own, like "cache.example.com"');
}

/** Kubernetes keeps its own domains to itself; the server leaves such a definition unserved. */
function approved({ group, annotations }: Said): void {
  if (!/(^|\.)(k8s|kubernetes)\.io$/.test(group) || annotations?.["api-approved.kubernetes.io"] !== undefined) return;
  const advice = 'use a domain of your own, or give annotations: { "api-approved.kubernetes.io": "<link>" }';
  throw new InvalidResource("group", `"${group}" is reserved for Kubernetes itself`, advice);
}

function labelled({ labels = {}, annotations = {} }: Said): void {
  for (const [key, value] of Object.entries(labels)) {
    qualified(key, "labels");
    if (value.length <= 63 && /^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$/.test(value)) continue;
    throw new InvalidResource(
      `labels["${key}"]`,
      `"${value}" is not a label value`,
      "use at most 63 letters, digits, dashes, dots and underscores",
    );
  }
  for (const key of Object.keys(annotations)) qualified(key, "annotations");
}

function qualified(key: string, path: string): void {
  const slash = key.indexOf("/");
  const name = key.slice(slash + 1);
  const prefixed = slash < 0 || (SUBDOMAIN.test(key.slice(0, slash)) && slash <= 253);
  if (prefixed && name.length <= 63 && /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/.test(name)) return;
  throw new InvalidResource(path, `"${key}" is not a key`, 'write it like "example.com/name" or "name"');
}
