/** Validation of names inside of objects with the texts of kube-apiserver. Every function returns the errors of a value. */

const formatTooLong = (max: number) => `must be no more than ${max} characters`;
const formatMustMatch = (rule: string, source: string, ...examples: readonly string[]) =>
  `${rule} (e.g. ${examples.map((example) => `'${example}', `).join(" or ")}regex used for validation is '${source}')`;

const SUBDOMAIN = "[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*";
const SEARCH_PATH = "_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*";
const CONFIG_KEY = "[-._a-zA-Z0-9]+";
const HEADER = "[-A-Za-z0-9]+";
const PERCENT = "[0-9]+%";
const WILDCARD_SUBDOMAIN = `\\*\\.${SUBDOMAIN}`;
const wildcardSubdomain = new RegExp(`^${WILDCARD_SUBDOMAIN}$`);
const searchPath = new RegExp(`^${SEARCH_PATH}$`);
const configKey = new RegExp(`^${CONFIG_KEY}$`);
const header = new RegExp(`^${HEADER}$`);
const percent = new RegExp(`^${PERCENT}$`);

/** Validates a wildcard subdomain: `*.example.com`. */
export function validateWildcardSubdomain(value: string): string[] {
  if (wildcardSubdomain.test(value)) return value.length > 253 ? [formatTooLong(253)] : [];
  const rule =
    "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character";
  return [formatMustMatch(rule, WILDCARD_SUBDOMAIN, "*.example.com")];
}

/** Validates a DNS search path, which may contain underscores. */
export function validateSearchPath(value: string): string[] {
  const search = value.replace(/\.$/, "");
  if (search === "" ? value === "." : searchPath.test(search)) return search.length > 253 ? [formatTooLong(253)] : [];
  const rule =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character";
  return [formatMustMatch(rule, SEARCH_PATH, "example.com")];
}

export function validatePortName(value: string): string[] {
  const problems: string[] = [];
  if (value.length > 15) problems.push(formatTooLong(15));
  if (!/^[-a-z0-9]+$/.test(value)) problems.push("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
  if (!/[a-z]/.test(value)) problems.push("must contain at least one letter (a-z)");
  if (value.includes("--")) problems.push("must not contain consecutive hyphens");
  if (value.startsWith("-") || value.endsWith("-")) problems.push("must not begin or end with a hyphen");
  return problems;
}

export function validatePortNumber(value: number): string[] {
  return value >= 1 && value <= 65535 ? [] : ["must be between 1 and 65535, inclusive"];
}

/** Validates user and group IDs. */
export function validateUserOrGroupId(value: number): string[] {
  return value >= 0 && value <= 2147483647 ? [] : ["must be between 0 and 2147483647, inclusive"];
}

export function validateEnvVarName(value: string): string[] {
  const bad = /[^\x20-\x7e]|=/.test(value);
  return bad ? ["a valid environment variable name must consist only of printable ASCII characters other than '='"] : [];
}

export function validateConfigKey(value: string): string[] {
  const problems = value.length > 253 ? [formatTooLong(253)] : [];
  if (!configKey.test(value)) {
    const rule = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'";
    problems.push(formatMustMatch(rule, CONFIG_KEY, "key.name", "KEY_NAME", "key-name"));
  }
  if (value === "." || value === "..") problems.push(`must not be '${value}'`);
  else if (value.startsWith("..")) problems.push("must not start with '..'");
  return problems;
}

export function validateHeaderName(value: string): string[] {
  return header.test(value)
    ? []
    : [formatMustMatch("a valid HTTP header must consist of alphanumeric characters or '-'", HEADER, "X-Header-Name")];
}

export function validatePercent(value: string): string[] {
  return percent.test(value)
    ? []
    : [formatMustMatch("a valid percent string must be a numeric string followed by an ending '%'", PERCENT, "1%", "93%")];
}
