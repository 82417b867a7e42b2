import type * as z from "zod";
import type { ValueValidation } from "../custom-resource-definition.ts";
import { notStructuralError } from "../invalid-resource.ts";
import { toRe2 } from "./re2.ts";
import { applyLengthChecks, type MutableSchema, unsupportedCheckError, type ZodNode } from "./zod-node.ts";

type StringFormatCheck = z.core.$ZodCheckStringFormatDef & {
  readonly offset?: boolean;
  readonly local?: boolean;
  readonly precision?: number | null;
  readonly hostname?: RegExp;
  readonly protocol?: RegExp;
  readonly normalize?: boolean;
  readonly position?: number;
};

/** Zod formats that become formats of the API server. All others become Zod's pattern, which is stricter than the API server's formats. */
const SERVER_FORMATS: Record<string, ValueValidation> = {
  base64: { format: "byte" },
  base64url: { pattern: "^([A-Za-z0-9_-]{4})*([A-Za-z0-9_-]{2,3})?$" },
  date: { format: "date" },
  datetime: { format: "date-time" },
  ipv6: { format: "ipv6" },
  // The format `cidr` accepts both address families, `uri` accepts a bare path.
  cidrv6: { format: "cidr", pattern: ":" },
  url: { format: "uri", pattern: "^[A-Za-z][A-Za-z0-9+.-]*:" },
};
/** Advice for Zod formats that a pattern cannot express. */
const FORMAT_ADVICE: Record<string, string> = {
  credit_card: 'use stringFormat("creditcard")',
  duration: "use duration() for a Go duration such as 1h30m",
  emoji: "use z.string()",
  hostname: 'use stringFormat("hostname")',
  iban: "use z.string().regex(...)",
  json_string: "use anyValue(), or z.string()",
  jwt: "use z.string()",
};

/** Returns the schema of `z.string()` and Zod's string formats. */
export function buildStringSchema(node: ZodNode<z.core.$ZodStringDef & Partial<StringFormatCheck>>): MutableSchema {
  const { def, path } = node;
  if (def.coerce) throw notStructuralError(path, "coercion", "store the string as the client sends it");
  const out: MutableSchema = { type: "string" };
  const own = def.format === undefined ? [] : [{ ...def, check: "string_format" } as StringFormatCheck];
  const validations: ValueValidation[] = [];
  for (const check of [...own, ...applyLengthChecks(node, "Length", out)]) {
    if (check.check !== "string_format") throw unsupportedCheckError(check, path);
    validations.push(formatValidation(check as StringFormatCheck, path));
  }
  if (node.attributes.format !== undefined) validations.push({ format: node.attributes.format });
  return mergeValidations(out, validations);
}

function formatValidation(check: StringFormatCheck, path: string): ValueValidation {
  const { format } = check;
  const advice = FORMAT_ADVICE[format];
  if (advice !== undefined) throw notStructuralError(path, `the format ${format}`, advice);
  if (format === "datetime" && (!check.offset || check.local || typeof check.precision === "number")) {
    throw notStructuralError(path, "a datetime of a special form", "use timestamp(), which accepts every RFC 3339 time");
  }
  if (format === "url" && (check.hostname || check.protocol || check.normalize)) {
    throw notStructuralError(path, "a url of a special form", "use celRule(z.url(), \"url(self).getScheme() == 'https'\")");
  }
  if (format === "includes" && check.position !== undefined) {
    throw notStructuralError(path, "includes() with a position", "use .regex(...)");
  }
  return SERVER_FORMATS[format] ?? { pattern: toPattern(check, path) };
}

function toPattern(check: StringFormatCheck, path: string): string {
  if (check.pattern === undefined) throw notStructuralError(path, `the format ${check.format}`, "use z.string().regex(...)");
  const translated = toRe2(check.pattern);
  if ("text" in translated) return translated.text;
  const advice = `the API server's RE2 has no ${translated.missing}: avoid it, or use celRule(schema, "<CEL>")`;
  throw notStructuralError(path, `the pattern ${check.pattern}`, advice);
}

/** Merges validations into one schema. A keyword that is already set goes into `allOf`. */
function mergeValidations(out: MutableSchema, validations: readonly ValueValidation[]): MutableSchema {
  const more: ValueValidation[] = [];
  for (const one of validations) {
    if (Object.keys(one).some((key) => key in out)) more.push(one);
    else Object.assign(out, one);
  }
  return more.length > 0 ? { ...out, allOf: more } : out;
}
