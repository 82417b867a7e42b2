import { type FieldError, fieldError, invalid } from "../../status/index.ts";
import { getHeader, getQueryParameter, type HttpHeaders, type QueryParameters } from "../request/api-request.ts";
import { parseBooleanParameter } from "./query-parameters.ts";

export type FieldValidation = "Strict" | "Warn" | "Ignore";

export interface WriteOptions {
  readonly dryRun: boolean;
  /** The field manager: the fieldManager parameter, or the user agent up to its first slash. */
  readonly fieldManager: string;
  readonly fieldValidation: FieldValidation;
  readonly force: boolean;
}

const META_GROUP = "meta.k8s.io";
const MANAGER_LIMIT = 128;
const PRINTABLE_ASCII = /^[ -~]{0,128}$/;
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u;

export function parseWriteOptions(
  kind: "CreateOptions" | "UpdateOptions" | "PatchOptions",
  query: QueryParameters,
  headers: HttpHeaders,
  apply = false,
): WriteOptions {
  const errors: FieldError[] = [];
  const manager = getQueryParameter(query, "fieldManager");
  const force = parseBooleanParameter(query, "force");
  if (kind === "PatchOptions") {
    if (apply && manager === "") errors.push(fieldError.required("fieldManager", "is required for apply patch"));
    if (!apply && force !== undefined) errors.push(fieldError.forbidden("force", "may not be specified for non-apply patch"));
  }
  errors.push(...validateFieldManager(manager));
  const dryRun = query.get("dryRun") ?? [];
  errors.push(...validateDryRun(dryRun));
  const fieldValidation = getQueryParameter(query, "fieldValidation");
  if (!["", "Strict", "Warn", "Ignore"].includes(fieldValidation)) {
    errors.push(fieldError.notSupported("fieldValidation", fieldValidation, ["", "Ignore", "Strict", "Warn"]));
  }
  if (errors.length > 0) throw invalid({ group: META_GROUP, resource: kind }, "", errors);
  return {
    dryRun: dryRun.length > 0,
    fieldManager: manager === "" ? parseUserAgentName(getHeader(headers, "user-agent") ?? "") : manager,
    fieldValidation: fieldValidation === "" ? "Warn" : (fieldValidation as FieldValidation),
    force: force === true,
  };
}

export function validateDryRun(dryRun: readonly string[]): FieldError[] {
  return dryRun.every((value) => value === "All") ? [] : [fieldError.notSupported("dryRun", dryRun, ["All"])];
}

function validateFieldManager(manager: string): FieldError[] {
  if (PRINTABLE_ASCII.test(manager)) return [];
  const errors = Buffer.byteLength(manager) > MANAGER_LIMIT ? [fieldError.tooLong("fieldManager", MANAGER_LIMIT)] : [];
  let position = 0;
  for (const char of manager) {
    if (UNPRINTABLE.test(char)) {
      const code = (char.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, "0");
      errors.push(fieldError.invalid("fieldManager", manager, `invalid character U+${code} (at position ${position})`));
    }
    position += Buffer.byteLength(char);
  }
  return errors;
}

function parseUserAgentName(agent: string): string {
  const name = agent.split("/")[0] as string;
  if (PRINTABLE_ASCII.test(name)) return name;
  let prefix = "";
  for (const char of name) {
    if (UNPRINTABLE.test(char)) continue;
    if (Buffer.byteLength(prefix + char) > MANAGER_LIMIT) break;
    prefix += char;
  }
  return prefix;
}
