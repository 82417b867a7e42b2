import type { Ended } from "./command.ts";

export interface Comparing {
  /** Where the command ran. */
  readonly folder: string;
  readonly prose?: boolean | undefined;
  readonly unordered?: boolean | undefined;
}

const SAFE = "[bcdfghjklmnpqrstvwxz2456789]";

/** What may differ between two servers that answer alike, and what stands for it. The order matters. */
export const MAY_DIFFER: readonly (readonly [what: RegExp, standsFor: string])[] = [
  // Where and when it ran, and what kubectl itself makes up.
  [/https?:\/\/127\.0\.0\.1:\d+/g, "<server>"],
  [/\b(LIVE|MERGED|edit)-\d+/g, "$1-<n>"],
  [/^(Server Version: version\.Info\{.*)GitCommit.*/gm, "$1..."],
  [/^( +"(gitCommit|gitTreeState|buildDate|goVersion|compiler)": )"[^"]*"/gm, "$1..."],
  [/^([EWIF])\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ /gm, "$1<when> "],
  // Identities and revisions.
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, "<uid>"],
  [/\b(resourceVersion\\?"?: ?\\?"?|Resource Version: +|resource version to be \d+, was )\d+/g, "$1<revision>"],
  [/("continue": ?")[^"]+/g, "$1<token>"],
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]+/g, "<token>"],
  // It says what was applied to which object, by its uid.
  [/(pintle\.dev\/applied: \S+ )\S+/g, "$1<hash>"],
  [/\bX509SHA256=[0-9a-f]{64}/g, "X509SHA256=<hash>"],
  // Times and ages.
  [/\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z| \+0000)/g, "<time>"],
  [/\b[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d \+0000/g, "<time>"],
  // How long a pod tolerates a taint looks like an age and is not one.
  [/(?<=^|[\s(])(?<!op=\S+ for )(\d{1,3}s|[2-9]m(\d+s)?|\d+d|\d+y(\d+d)?)(?=$|[\s)])/gm, "<age>"],
  // Generated suffixes: of pods of a template, of templates, of anything.
  [new RegExp(`-${SAFE}{8,10}-${SAFE}{5}\\b`, "g"), "-<hash>-<suffix>"],
  [new RegExp(`(-|pod-template-hash(?:=|"?: ?"?))${SAFE}{8,10}\\b`, "g"), "$1<hash>"],
  [new RegExp(`-${SAFE}{5}\\b`, "g"), "-<suffix>"],
  [/\bnode-\d+\b/g, "<node>"],
  // Addresses and ports that the cluster picks.
  [/\b(10\.\d+|192\.0)\.\d+\.\d+\b/g, "<ip>"],
  [/(<ip>|127\.0\.0\.1):\d{5}\b/g, "<ip>:<port>"],
  [/\b(\d+:|nodePort"?: ?|NodePort: .* )3[0-2]\d{3}\b/g, "$1<port>"],
  // kubectl pads columns to the widest cell, and the widths of all of the above differ.
  [/(?<!^[+-])(?<=\S) {2,}/gm, "  "],
  [/[ \t]+$/gm, ""],
];

/** An answer without what may differ. */
export function comparable({ code, out, err }: Ended, how: Comparing): Ended {
  return { code, out: text(out, how), err: text(err, how) };
}

function text(said: string, { folder, prose, unordered }: Comparing): string {
  let result = inOrder(said).replaceAll(folder, "<folder>");
  if (prose) result = withoutProse(result);
  for (const [what, standsFor] of MAY_DIFFER) result = result.replace(what, standsFor);
  return unordered && result !== "" ? `${result.trimEnd().split("\n").sort().join("\n")}\n` : result;
}

/** Of `explain`: the kind, the names and types of its fields, and what they may hold; not what they are for. */
function withoutProse(explained: string): string {
  const [before = "", fields] = explained.split(/^FIELDS:\n/m);
  const head = before.replace(/^DESCRIPTION:\n(?:(?: +.*)?\n)*/m, "DESCRIPTION: ...\n\n");
  if (fields === undefined) return head;
  return `${head}FIELDS:\n${fields
    .split("\n")
    .filter((line) => /^ {2,}\S+\t<|^ +enum: /.test(line))
    .join("\n")}\n`;
}

/** An answer that kubectl passed on as it came: the order of its keys means nothing, here or to any client. */
function inOrder(said: string): string {
  if (!said.startsWith('{"')) return said;
  const end = said.slice(said.trimEnd().length);
  return `${JSON.stringify(sorted(JSON.parse(said)), undefined, 1)}${end}`;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, each]) => [key, sorted(each)]),
  );
}
