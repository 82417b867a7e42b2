import type { ResourceDefinition } from "./resource-definitions.ts";
import { findClosingBracket } from "./source-scan.ts";

/**
 * Returns the source with an `.unchangedIn()` version replaced by an `.older()` version: a copy of the schema with functions that convert
 * to and from the newest version. A result that starts with "!" is an error message.
 */
export function addConversion(text: string, { from, end }: ResourceDefinition, version: string | undefined): string {
  const unchangedIn = /\.unchangedIn\(\{ *version: "([^"]*)" *\}\)/g;
  const found = [...text.slice(end).matchAll(unchangedIn)].filter(([, name]) => version === undefined || name === version);
  const [match, secondMatch] = found;
  if (match === undefined)
    return `!there is no ${version === undefined ? "second version" : `version ${version}`} with an unchanged schema: add one with 'pintle create api --version'`;
  if (secondMatch !== undefined)
    return `!several versions have an unchanged schema (${found.map(([, name]) => name).join(", ")}): select one with --spoke`;
  const inside = text.slice(from, end - 1);
  const fields = ["spec", "status"].flatMap((field) => {
    const value = fieldText(inside, field);
    return value === undefined ? [] : [`  ${field}: ${value},`];
  });
  const body = fields.length > 1 ? "({ spec, status }) => ({ spec, status })" : "({ spec }) => ({ spec })";
  const older = `.older({
  version: "${match[1]}",
${fields.join("\n")}
  toHub: ${body},
  fromHub: ${body},
})`;
  const at = end + match.index;
  return `${text.slice(0, at)}${older}${text.slice(at + match[0].length)}`;
}

/** Returns the source text of a field's value in an object literal. */
function fieldText(inside: string, field: string): string | undefined {
  const found = new RegExp(`^ *${field}: `, "m").exec(inside) ?? new RegExp(`[,{] *${field}: `).exec(inside);
  if (found === null) return undefined;
  const start = found.index + found[0].length;
  for (let at = start; at < inside.length; at++) {
    const character = inside[at]!;
    if (character === "," || character === "\n") return inside.slice(start, at);
    if ("([{".includes(character)) at = (findClosingBracket(inside, at) ?? inside.length) - 1;
  }
  return inside.slice(start).trimEnd();
}
