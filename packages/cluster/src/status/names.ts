/** What names and labels may look like, in the server's words. Every function answers with what is wrong: [] is fine. */

const LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`;
const DNS_1035 = "[a-z]([-a-z0-9]*[a-z0-9])?";
const QUALIFIED = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const LABEL_VALUE = `(${QUALIFIED})?`;
const whole = (pattern: string) => new RegExp(`^${pattern}$`);
const label = whole(LABEL);
const subdomain = whole(SUBDOMAIN);
const dns1035 = whole(DNS_1035);
const qualified = whole(QUALIFIED);
const labelValue = whole(LABEL_VALUE);

const ALPHANUMERIC = "and must start and end with an alphanumeric character";
const tooLong = (max: number, unit = "bytes") => `must be no more than ${max} ${unit}`;
const used = (pattern: string) => `regex used for validation is '${pattern}')`;

export function dnsLabelProblems(value: string): string[] {
  const problems = value.length > 63 ? [tooLong(63, "characters")] : [];
  if (!label.test(value)) {
    problems.push(
      subdomain.test(value)
        ? "must not contain dots"
        : `a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', ${ALPHANUMERIC} (e.g. 'my-name',  or '123-abc', ${used(LABEL)}`,
    );
  }
  return problems;
}

export function dnsSubdomainProblems(value: string, unit = "characters"): string[] {
  const problems = value.length > 253 ? [tooLong(253, unit)] : [];
  if (!subdomain.test(value)) {
    problems.push(
      `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', ${ALPHANUMERIC} (e.g. 'example.com', ${used(SUBDOMAIN)}`,
    );
  }
  return problems;
}

export function dns1035Problems(value: string): string[] {
  const problems = value.length > 63 ? [tooLong(63, "characters")] : [];
  if (!dns1035.test(value)) {
    problems.push(
      `a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', ${used(DNS_1035)}`,
    );
  }
  return problems;
}

/** Label keys, annotation keys, finalizers, condition types: `name` or `prefix/name`. */
export function qualifiedNameProblems(value: string): string[] {
  if (value.length <= 63 && qualified.test(value)) return [];
  const parts = value.split("/");
  const shape = `must consist of alphanumeric characters, '-', '_' or '.', ${ALPHANUMERIC} (e.g. 'MyName',  or 'my.name',  or '123-abc', ${used(QUALIFIED)}`;
  if (parts.length > 2) return [`a valid label key ${shape} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  const problems: string[] = [];
  const name = parts.at(-1) as string;
  if (parts.length === 2) {
    const prefix = parts[0] as string;
    if (prefix === "") problems.push("prefix part must be non-empty");
    else problems.push(...dnsSubdomainProblems(prefix, "bytes").map((problem) => `prefix part ${problem}`));
  }
  if (name === "") problems.push("name part must be non-empty");
  else if (name.length > 63) problems.push(`name part ${tooLong(63)}`);
  if (!qualified.test(name)) problems.push(`name part ${shape}`);
  return problems;
}

export function labelValueProblems(value: string): string[] {
  const problems = value.length > 63 ? [tooLong(63)] : [];
  if (!labelValue.test(value)) {
    problems.push(
      `a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', ${ALPHANUMERIC} (e.g. 'MyValue',  or 'my_value',  or '12345', ${used(LABEL_VALUE)}`,
    );
  }
  return problems;
}

/** The least a name must satisfy to be part of a URL. As a prefix (generateName) a suffix will still follow. */
export function pathSegmentProblems(name: string, prefix = false): string[] {
  if (!prefix && (name === "." || name === "..")) return [`may not be '${name}'`];
  return ["/", "%"].filter((part) => name.includes(part)).map((part) => `may not contain '${part}'`);
}
