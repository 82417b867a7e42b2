/** What names of parts of objects may look like, in the server's words. Every function answers with what is wrong. */

const tooLong = (max: number) => `must be no more than ${max} characters`;
const mustMatch = (rule: string, source: string, ...examples: readonly string[]) =>
  `${rule} (e.g. ${examples.map((example) => `'${example}', `).join(" or ")}regex used for validation is '${source}')`;

const SUBDOMAIN = "[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*";
const SEARCH = "_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*";
const CONFIG_KEY = "[-._a-zA-Z0-9]+";
const HEADER = "[-A-Za-z0-9]+";
const PERCENT = "[0-9]+%";
const patterns = new Map<string, RegExp>();
function matches(source: string, text: string): boolean {
  let pattern = patterns.get(source);
  if (pattern === undefined) {
    pattern = new RegExp(`^${source}$`);
    patterns.set(source, pattern);
  }
  return pattern.test(text);
}

/** `*.example.com`. */
export function wildcardProblems(value: string): string[] {
  const source = `\\*\\.${SUBDOMAIN}`;
  if (matches(source, value)) return value.length > 253 ? [tooLong(253)] : [];
  const rule =
    "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character";
  return [mustMatch(rule, source, "*.example.com")];
}

/** Search paths of DNS, where underscores are common. */
export function searchProblems(value: string): string[] {
  const search = value.replace(/\.$/, "");
  if (search === "" ? value === "." : matches(SEARCH, search)) return search.length > 253 ? [tooLong(253)] : [];
  const rule =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character";
  return [mustMatch(rule, SEARCH, "example.com")];
}

export function portNameProblems(value: string): string[] {
  const problems: string[] = [];
  if (value.length > 15) problems.push(tooLong(15));
  if (!/^[-a-z0-9]+$/.test(value)) problems.push("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
  if (!/[a-z]/.test(value)) problems.push("must contain at least one letter (a-z)");
  if (value.includes("--")) problems.push("must not contain consecutive hyphens");
  if (value.startsWith("-") || value.endsWith("-")) problems.push("must not begin or end with a hyphen");
  return problems;
}

export function portNumberProblems(value: number): string[] {
  return value >= 1 && value <= 65535 ? [] : ["must be between 1 and 65535, inclusive"];
}

/** Users and groups. */
export function idProblems(value: number): string[] {
  return value >= 0 && value <= 2147483647 ? [] : ["must be between 0 and 2147483647, inclusive"];
}

export function envNameProblems(value: string): string[] {
  const bad = /[^\x20-\x7e]|=/.test(value);
  return bad ? ["a valid environment variable name must consist only of printable ASCII characters other than '='"] : [];
}

export function configKeyProblems(value: string): string[] {
  const problems = value.length > 253 ? [tooLong(253)] : [];
  if (!matches(CONFIG_KEY, value)) {
    const rule = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'";
    problems.push(mustMatch(rule, CONFIG_KEY, "key.name", "KEY_NAME", "key-name"));
  }
  if (value === "." || value === "..") problems.push(`must not be '${value}'`);
  else if (value.startsWith("..")) problems.push("must not start with '..'");
  return problems;
}

export function headerNameProblems(value: string): string[] {
  return matches(HEADER, value)
    ? []
    : [mustMatch("a valid HTTP header must consist of alphanumeric characters or '-'", HEADER, "X-Header-Name")];
}

export function percentProblems(value: string): string[] {
  return matches(PERCENT, value)
    ? []
    : [mustMatch("a valid percent string must be a numeric string followed by an ending '%'", PERCENT, "1%", "93%")];
}
