import type { Definition } from "./definitions.ts";
import { closing } from "./source-text.ts";

/**
 * The file with one of its like versions as a version of its own, which may now differ: a copy of the schema, and the way to
 * the newest version and back. A string that begins with "!" says why that cannot be done.
 */
export function withConversion(text: string, { from, end }: Definition, version: string | undefined): string {
  const like = /\.unchangedIn\(\{ *version: "([^"]*)" *\}\)/g;
  const found = [...text.slice(end).matchAll(like)].filter(([, name]) => version === undefined || name === version);
  const [one, another] = found;
  if (one === undefined)
    return `!there is no ${version === undefined ? "second version" : `version ${version}`} that is like the first: add one with pintle create api --version`;
  if (another !== undefined) return `!several versions are alike (${found.map(([, name]) => name).join(", ")}): say which with --spoke`;
  const inside = text.slice(from, end - 1);
  const fields = ["spec", "status"].flatMap((field) => {
    const value = textOf(inside, field);
    return value === undefined ? [] : [`  ${field}: ${value},`];
  });
  const body = fields.length > 1 ? "({ spec, status }) => ({ spec, status })" : "({ spec }) => ({ spec })";
  const older = `.older({
  version: "${one[1]}",
${fields.join("\n")}
  toHub: ${body},
  fromHub: ${body},
})`;
  const at = end + one.index;
  return `${text.slice(0, at)}${older}${text.slice(at + one[0].length)}`;
}

/** The text of a field's value in an object literal. */
function textOf(inside: string, field: string): string | undefined {
  const found = new RegExp(`^ *${field}: `, "m").exec(inside) ?? new RegExp(`[,{] *${field}: `).exec(inside);
  if (found === null) return undefined;
  const start = found.index + found[0].length;
  for (let at = start; at < inside.length; at++) {
    const character = inside[at]!;
    if (character === "," || character === "\n") return inside.slice(start, at);
    if ("([{".includes(character)) at = (closing(inside, at) ?? inside.length) - 1;
  }
  return inside.slice(start).trimEnd();
}
