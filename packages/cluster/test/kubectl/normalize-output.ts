import type { CommandOutput } from "./run-command.ts";

export interface NormalizeOptions {
  /** The working directory of the command. */
  readonly folder: string;
  readonly prose?: boolean | undefined;
  readonly unordered?: boolean | undefined;
}

const SAFE = "[bcdfghjklmnpqrstvwxz2456789]";

/** Patterns that may differ between two equivalent servers, and their placeholders. The order matters. */
export const REPLACEMENTS: readonly (readonly [what: RegExp, standsFor: string])[] = [
  // Address and time of the run, and names that kubectl generates.
  [/https?:\/\/127\.0\.0\.1:\d+/g, "<server>"],
  [/\b(LIVE|MERGED|edit)-\d+/g, "$1-<n>"],
  [/^(Server Version: version\.Info\{.*)GitCommit.*/gm, "$1..."],
  [/^( +"(gitCommit|gitTreeState|buildDate|goVersion|compiler)": )"[^"]*"/gm, "$1..."],
  // kubectl 1.34 logs this when its own timeout ends a watch within a second: whether it does depends on the speed of the machine.
  [/^I\d{4} .*"Warning: watch ended with error".*very short watch.*\n/gm, ""],
  [/^([EWIF])\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ /gm, "$1<when> "],
  // Identities and revisions.
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, "<uid>"],
  [/\b(resourceVersion\\?"?: ?\\?"?|Resource Version: +|resource version to be \d+, was )\d+/g, "$1<revision>"],
  [/("continue": ?")[^"]+/g, "$1<token>"],
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]+/g, "<token>"],
  // The last-applied record contains the uid of its object.
  [/(pintle\.dev\/applied: \S+ )\S+/g, "$1<hash>"],
  [/\bX509SHA256=[0-9a-f]{64}/g, "X509SHA256=<hash>"],
  // Times and ages.
  [/\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z| \+0000)/g, "<time>"],
  [/\b[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d \+0000/g, "<time>"],
  // The duration of a toleration resembles an age but is not one.
  [/(?<=^|[\s(])(?<!op=\S+ for )(\d{1,3}s|[2-9]m(\d+s)?|\d+d|\d+y(\d+d)?)(?=$|[\s)])/gm, "<age>"],
  // Generated suffixes: of pods of a template, of templates, of anything.
  [new RegExp(`-${SAFE}{8,10}-${SAFE}{5}\\b`, "g"), "-<hash>-<suffix>"],
  [new RegExp(`(-|pod-template-hash(?:=|"?: ?"?))${SAFE}{8,10}\\b`, "g"), "$1<hash>"],
  [new RegExp(`-${SAFE}{5}\\b`, "g"), "-<suffix>"],
  [/\bnode-\d+\b/g, "<node>"],
  // Addresses and ports that the cluster allocates.
  [/\b(10\.\d+|192\.0)\.\d+\.\d+\b/g, "<ip>"],
  [/(<ip>|127\.0\.0\.1):\d{5}\b/g, "<ip>:<port>"],
  [/\b(\d+:|nodePort"?: ?|NodePort: .* )3[0-2]\d{3}\b/g, "$1<port>"],
  // kubectl pads columns to the widest cell, and the widths of all of the above differ.
  [/(?<!^[+-])(?<=\S) {2,}/gm, "  "],
  [/[ \t]+$/gm, ""],
];

/** Replaces everything that may differ. */
export function normalizeOutput({ code, out, err }: CommandOutput, options: NormalizeOptions): CommandOutput {
  return { code, out: normalizeText(out, options), err: normalizeText(err, options) };
}

function normalizeText(output: string, { folder, prose, unordered }: NormalizeOptions): string {
  let result = sortJsonKeys(output).replaceAll(folder, "<folder>");
  if (prose) result = removeDescriptions(result);
  for (const [what, standsFor] of REPLACEMENTS) result = result.replace(what, standsFor);
  return unordered && result !== "" ? `${result.trimEnd().split("\n").sort().join("\n")}\n` : result;
}

/** Keeps the kind, the names and types of fields, and enum values of `explain`; removes the descriptions. */
function removeDescriptions(explained: string): string {
  const [before = "", fields] = explained.split(/^FIELDS:\n/m);
  const head = before.replace(/^DESCRIPTION:\n(?:(?: +.*)?\n)*/m, "DESCRIPTION: ...\n\n");
  if (fields === undefined) return head;
  return `${head}FIELDS:\n${fields
    .split("\n")
    .filter((line) => /^ {2,}\S+\t<|^ +enum: /.test(line))
    .join("\n")}\n`;
}

/** Sorts the keys of a JSON response that kubectl printed as received: their order has no meaning. */
function sortJsonKeys(output: string): string {
  if (!output.startsWith('{"')) return output;
  const end = output.slice(output.trimEnd().length);
  return `${JSON.stringify(sortKeys(JSON.parse(output)), undefined, 1)}${end}`;
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, each]) => [key, sortKeys(each)]),
  );
}
