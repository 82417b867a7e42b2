import { dns1035Problems, type FieldError, fieldError } from "../../status/index.ts";
import type { CrdNames } from "./crd.ts";

export function nameErrors(names: CrdNames, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const { plural = "", singular = "", kind = "", listKind = "", shortNames = [], categories = [] } = names;
  const check = (field: string, value: string) => {
    const problems = dns1035Problems(value);
    if (problems.length > 0) errors.push(fieldError.invalid(`${path}.${field}`, value, problems.join(",")));
  };
  const checkKind = (field: string, value: string) => {
    const problems = dns1035Problems(value.toLowerCase());
    if (value === "" || problems.length === 0) return;
    errors.push(fieldError.invalid(`${path}.${field}`, value, `may have mixed case, but should otherwise match: ${problems.join(",")}`));
  };
  if (plural !== "") check("plural", plural);
  if (singular !== "") check("singular", singular);
  checkKind("kind", kind);
  checkKind("listKind", listKind);
  for (const [i, name] of shortNames.entries()) check(`shortNames[${i}]`, name);
  if (kind !== "" && kind === listKind) {
    errors.push(fieldError.invalid(`${path}.listKind`, listKind, "kind and listKind may not be the same"));
  }
  for (const [i, name] of categories.entries()) check(`categories[${i}]`, name);
  return errors;
}
