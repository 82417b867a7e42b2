/** What names may look like, in the server's words. Every function answers with what is wrong; nothing wrong is []. */

const label = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const subdomain = `${label}(\\.${label})*`;
const dns1035 = "[a-z]([-a-z0-9]*[a-z0-9])?";
const labelKey = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const labelValue = `(${labelKey})?`;

const whole = (source: string) => new RegExp(`^${source}$`);
const isLabel = whole(label);
const isSubdomain = whole(subdomain);
const isDns1035 = whole(dns1035);
const isLabelKey = whole(labelKey);
const isLabelValue = whole(labelValue);

const edges = "must start and end with an alphanumeric character";
const tooLong = (max: number, unit: string) => `must be no more than ${max} ${unit}`;
const mustMatch = (rule: string, source: string, ...examples: string[]) =>
  `${rule} (e.g. ${examples.map((example) => `'${example}', `).join(" or ")}regex used for validation is '${source}')`;

export function dns1123Label(value: string): string[] {
  const problems = value.length > 63 ? [tooLong(63, "characters")] : [];
  if (isLabel.test(value)) return problems;
  if (isSubdomain.test(value)) return [...problems, "must not contain dots"];
  const rule = `a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and ${edges}`;
  return [...problems, mustMatch(rule, label, "my-name", "123-abc")];
}

export function dns1123Subdomain(value: string): string[] {
  const problems = value.length > 253 ? [tooLong(253, "characters")] : [];
  if (isSubdomain.test(value)) return problems;
  const rule = `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and ${edges}`;
  return [...problems, mustMatch(rule, subdomain, "example.com")];
}

export function dns1035Label(value: string): string[] {
  const problems = value.length > 63 ? [tooLong(63, "characters")] : [];
  if (isDns1035.test(value)) return problems;
  const rule =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character";
  return [...problems, mustMatch(rule, dns1035, "my-name", "abc-123")];
}

/** Keys of labels and annotations, finalizers: `name`, or `prefix/name`. */
export function qualifiedName(value: string): string[] {
  const parts = value.split("/");
  const rule = `must consist of alphanumeric characters, '-', '_' or '.', and ${edges}`;
  const shape = mustMatch(rule, labelKey, "MyName", "my.name", "123-abc");
  if (parts.length > 2) return [`a valid label key ${shape} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  const problems: string[] = [];
  const name = parts.at(-1)!;
  if (parts.length === 2) {
    const [prefix] = parts as [string, string];
    if (prefix === "") problems.push("prefix part must be non-empty");
    else problems.push(...prefixProblems(prefix).map((problem) => `prefix part ${problem}`));
  }
  if (name === "") problems.push("name part must be non-empty");
  else if (name.length > 63) problems.push(`name part ${tooLong(63, "bytes")}`);
  if (!isLabelKey.test(name)) problems.push(`name part ${shape}`);
  return problems;
}

function prefixProblems(prefix: string): string[] {
  return dns1123Subdomain(prefix).map((problem) => problem.replace("253 characters", "253 bytes"));
}

export function labelValueProblems(value: string): string[] {
  const problems = value.length > 63 ? [tooLong(63, "bytes")] : [];
  if (isLabelValue.test(value)) return problems;
  const rule = `a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and ${edges}`;
  return [...problems, mustMatch(rule, labelValue, "MyValue", "my_value", "12345")];
}

/** The least a name must satisfy to be part of a URL. */
export function pathSegment(name: string): string[] {
  if (name === "." || name === "..") return [`may not be '${name}'`];
  return pathSegmentPrefix(name);
}

export function pathSegmentPrefix(name: string): string[] {
  return ["/", "%"].filter((part) => name.includes(part)).map((part) => `may not contain '${part}'`);
}
