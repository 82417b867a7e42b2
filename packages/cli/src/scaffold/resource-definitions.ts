import { findClosingBracket, findInCode } from "./source-scan.ts";

/** A `defineResource({...})` call in a source file. */
export interface ResourceDefinition {
  /** Undefined if it is not a string literal. */
  readonly group: string | undefined;
  readonly version: string | undefined;
  readonly kind: string | undefined;
  /** Start of the text between the parentheses. */
  readonly from: number;
  /** End of the call, after the closing parenthesis. */
  readonly end: number;
}

const DEFINE_RESOURCE = "defineResource(";

export function findDefinitions(text: string): readonly ResourceDefinition[] {
  return findInCode(text, DEFINE_RESOURCE).flatMap((at) => {
    const open = at + DEFINE_RESOURCE.length - 1;
    const end = findClosingBracket(text, open);
    if (end === undefined) return [];
    const inside = text.slice(open + 1, end - 1);
    const readField = (field: string) => new RegExp(`\\b${field}: *"([^"]*)"`).exec(inside)?.[1];
    return [{ group: readField("group"), version: readField("version"), kind: readField("kind"), from: open + 1, end }];
  });
}

/** Returns the versions of a definition, its own first. */
export function listVersions(text: string, { version, end }: ResourceDefinition): readonly string[] {
  const chain = text.slice(end, findChainEnd(text, end));
  return [...(version === undefined ? [] : [version]), ...[...chain.matchAll(/\bversion: *"([^"]*)"/g)].map(([, name]) => name!)];
}

/**
 * Returns the source with another version of the resource that has the same schema. The newer one becomes the version of the definition,
 * the other one is chained to it. Undefined if the definition has no literal version.
 */
export function addVersion(text: string, definition: ResourceDefinition, version: string): string | undefined {
  const { version: hub, from, end } = definition;
  if (hub === undefined) return undefined;
  const [newest, other] = isNewerVersion(version, hub) ? [version, hub] : [hub, version];
  const inside = text.slice(from, end).replace(/\bversion: *"[^"]*"/, `version: "${newest}"`);
  const at = findChainEnd(text, end);
  return `${text.slice(0, from)}${inside}${text.slice(end, at)}.unchangedIn({ version: "${other}" })${text.slice(at)}`;
}

/** Returns the end of the `.method(...)` chain. */
function findChainEnd(text: string, end: number): number {
  const next = /^\s*\.\w+\(/.exec(text.slice(end));
  const past = next === null ? undefined : findClosingBracket(text, end + next[0].length - 1);
  return past === undefined ? end : findChainEnd(text, past);
}

/** Reports whether version `a` has a higher Kubernetes version priority than `b`: v2, v1, v1beta1, v1alpha2. */
export function isNewerVersion(a: string, b: string): boolean {
  const [x, y] = [versionPriority(a), versionPriority(b)];
  const i = x.findIndex((part, at) => part !== y[at]);
  return i >= 0 && x[i]! > y[i]!;
}

function versionPriority(version: string): readonly number[] {
  const [, major, stage, minor] = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version) ?? [];
  return [stage === undefined ? 2 : stage === "beta" ? 1 : 0, Number(major), Number(minor ?? 0)];
}
