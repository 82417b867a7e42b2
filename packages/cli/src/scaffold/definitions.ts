import { closing, places } from "./source-text.ts";

/** A `defineResource({...})` in a file. */
export interface Definition {
  /** Undefined where the text does not say it outright. */
  readonly group: string | undefined;
  readonly version: string | undefined;
  readonly kind: string | undefined;
  /** What is between the parentheses. */
  readonly from: number;
  /** One past the closing parenthesis. */
  readonly end: number;
}

const CALL = "defineResource(";

export function definitions(text: string): readonly Definition[] {
  return places(text, CALL).flatMap((at) => {
    const open = at + CALL.length - 1;
    const end = closing(text, open);
    if (end === undefined) return [];
    const inside = text.slice(open + 1, end - 1);
    const said = (field: string) => new RegExp(`\\b${field}: *"([^"]*)"`).exec(inside)?.[1];
    return [{ group: said("group"), version: said("version"), kind: said("kind"), from: open + 1, end }];
  });
}

/** Versions that the definition has, its own first. */
export function versionsOf(text: string, { version, end }: Definition): readonly string[] {
  const chain = text.slice(end, chainEnd(text, end));
  return [...(version === undefined ? [] : [version]), ...[...chain.matchAll(/\bversion: *"([^"]*)"/g)].map(([, name]) => name!)];
}

/**
 * The file with one more version of the resource, which looks like the one that is there: the newer of the two is what the
 * controller works with, and the other is chained to it. Undefined where the text is not as it was made.
 */
export function withVersion(text: string, definition: Definition, version: string): string | undefined {
  const { version: hub, from, end } = definition;
  if (hub === undefined) return undefined;
  const [newest, other] = isNewer(version, hub) ? [version, hub] : [hub, version];
  const inside = text.slice(from, end).replace(/\bversion: *"[^"]*"/, `version: "${newest}"`);
  const at = chainEnd(text, end);
  return `${text.slice(0, from)}${inside}${text.slice(end, at)}.unchangedIn({ version: "${other}" })${text.slice(at)}`;
}

/** Past every `.method(...)` that follows. */
function chainEnd(text: string, end: number): number {
  const next = /^\s*\.\w+\(/.exec(text.slice(end));
  const past = next === null ? undefined : closing(text, end + next[0].length - 1);
  return past === undefined ? end : chainEnd(text, past);
}

/** As Kubernetes ranks versions: v2, v1, v1beta1, v1alpha2. */
export function isNewer(a: string, b: string): boolean {
  const [x, y] = [rank(a), rank(b)];
  const i = x.findIndex((part, at) => part !== y[at]);
  return i >= 0 && x[i]! > y[i]!;
}

function rank(version: string): readonly number[] {
  const [, major, stage, minor] = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version) ?? [];
  return [stage === undefined ? 2 : stage === "beta" ? 1 : 0, Number(major), Number(minor ?? 0)];
}
