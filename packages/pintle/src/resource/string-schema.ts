import type * as z from "zod";
import type { ValueValidation } from "./custom-resource-definition.ts";
import { notStructural } from "./invalid-resource.ts";
import { type Draft, lengths, type Node, refused } from "./node.ts";
import { re2 } from "./re2.ts";

type FormatCheck = z.core.$ZodCheckStringFormatDef & {
  readonly offset?: boolean;
  readonly local?: boolean;
  readonly precision?: number | null;
  readonly hostname?: RegExp;
  readonly protocol?: RegExp;
  readonly normalize?: boolean;
  readonly position?: number;
};

/** Said by a format of the server's. All others are said by Zod's own pattern, which is stricter than the server's formats. */
const FORMATS: Record<string, ValueValidation> = {
  base64: { format: "byte" },
  base64url: { pattern: "^([A-Za-z0-9_-]{4})*([A-Za-z0-9_-]{2,3})?$" },
  date: { format: "date" },
  datetime: { format: "date-time" },
  ipv6: { format: "ipv6" },
  // `cidr` takes both families, `uri` a bare path too.
  cidrv6: { format: "cidr", pattern: ":" },
  url: { format: "uri", pattern: "^[A-Za-z][A-Za-z0-9+.-]*:" },
};
/** Formats that are more than a pattern. */
const INSTEAD: Record<string, string> = {
  credit_card: 'write format("creditcard")',
  duration: "write duration() for Go's 1h30m",
  emoji: "write z.string()",
  hostname: 'write format("hostname")',
  iban: "write z.string().regex(...)",
  json_string: "write anyValue(), or z.string()",
  jwt: "write z.string()",
};

export function stringSchema(node: Node<z.core.$ZodStringDef & Partial<FormatCheck>>): Draft {
  const { def, path } = node;
  if (def.coerce) throw notStructural(path, "coercion", "accept the string as it is written");
  const out: Draft = { type: "string" };
  const own = def.format === undefined ? [] : [{ ...def, check: "string_format" } as FormatCheck];
  const said: ValueValidation[] = [];
  for (const check of [...own, ...lengths(node, "Length", out)]) {
    if (check.check !== "string_format") throw refused(check, path);
    said.push(formatted(check as FormatCheck, path));
  }
  if (node.facts.format !== undefined) said.push({ format: node.facts.format });
  return together(out, said);
}

function formatted(check: FormatCheck, path: string): ValueValidation {
  const { format } = check;
  const instead = INSTEAD[format];
  if (instead !== undefined) throw notStructural(path, `the format ${format}`, instead);
  if (format === "datetime" && (!check.offset || check.local || typeof check.precision === "number")) {
    throw notStructural(path, "a datetime of a special form", "write time(), which takes every RFC 3339 time");
  }
  if (format === "url" && (check.hostname || check.protocol || check.normalize)) {
    throw notStructural(path, "a url of a special form", "write rule(z.url(), \"url(self).getScheme() == 'https'\")");
  }
  if (format === "includes" && check.position !== undefined) {
    throw notStructural(path, "includes() with a position", "write .regex(...)");
  }
  return FORMATS[format] ?? { pattern: pattern(check, path) };
}

function pattern(check: FormatCheck, path: string): string {
  if (check.pattern === undefined) throw notStructural(path, `the format ${check.format}`, "write z.string().regex(...)");
  const translated = re2(check.pattern);
  if ("text" in translated) return translated.text;
  const advice = `the server's RE2 has no ${translated.missing}: write it without, or as rule(schema, "<CEL>")`;
  throw notStructural(path, `the pattern ${check.pattern}`, advice);
}

/** A keyword can stand only once; what is said a second time goes into allOf. */
function together(out: Draft, said: readonly ValueValidation[]): Draft {
  const more: ValueValidation[] = [];
  for (const one of said) {
    if (Object.keys(one).some((key) => key in out)) more.push(one);
    else Object.assign(out, one);
  }
  return more.length > 0 ? { ...out, allOf: more } : out;
}
