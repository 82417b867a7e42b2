/** Validation of names and labels with the texts of upstream. Every function returns a list of errors; an empty list means valid. */

const LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`;
const DNS_1035 = "[a-z]([-a-z0-9]*[a-z0-9])?";
const QUALIFIED = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const LABEL_VALUE = `(${QUALIFIED})?`;
const label = new RegExp(`^${LABEL}$`);
const subdomain = new RegExp(`^${SUBDOMAIN}$`);
const dns1035 = new RegExp(`^${DNS_1035}$`);
const qualified = new RegExp(`^${QUALIFIED}$`);
const labelValue = new RegExp(`^${LABEL_VALUE}$`);

const ALPHANUMERIC = "and must start and end with an alphanumeric character";
const tooLong = (max: number, unit = "bytes") => `must be no more than ${max} ${unit}`;
const regexNote = (pattern: string) => `regex used for validation is '${pattern}')`;

export function validateDnsLabel(value: string): string[] {
  const problems = value.length > 63 ? [tooLong(63, "characters")] : [];
  if (!label.test(value)) {
    problems.push(
      subdomain.test(value)
        ? "must not contain dots"
        : `a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', ${ALPHANUMERIC} (e.g. 'my-name',  or '123-abc', ${regexNote(LABEL)}`,
    );
  }
  return problems;
}

export function validateDnsSubdomain(value: string, unit = "characters"): string[] {
  const problems = value.length > 253 ? [tooLong(253, unit)] : [];
  if (!subdomain.test(value)) {
    problems.push(
      `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', ${ALPHANUMERIC} (e.g. 'example.com', ${regexNote(SUBDOMAIN)}`,
    );
  }
  return problems;
}

export function validateDns1035Label(value: string): string[] {
  const problems = value.length > 63 ? [tooLong(63, "characters")] : [];
  if (!dns1035.test(value)) {
    problems.push(
      `a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', ${regexNote(DNS_1035)}`,
    );
  }
  return problems;
}

/** Validates label keys, annotation keys, finalizers and condition types: `name` or `prefix/name`. */
export function validateQualifiedName(value: string): string[] {
  if (value.length <= 63 && qualified.test(value)) return [];
  const parts = value.split("/");
  const shape = `must consist of alphanumeric characters, '-', '_' or '.', ${ALPHANUMERIC} (e.g. 'MyName',  or 'my.name',  or '123-abc', ${regexNote(QUALIFIED)}`;
  if (parts.length > 2) return [`a valid label key ${shape} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  const problems: string[] = [];
  const name = parts.at(-1) as string;
  if (parts.length === 2) {
    const prefix = parts[0] as string;
    if (prefix === "") problems.push("prefix part must be non-empty");
    else problems.push(...validateDnsSubdomain(prefix, "bytes").map((problem) => `prefix part ${problem}`));
  }
  if (name === "") problems.push("name part must be non-empty");
  else if (name.length > 63) problems.push(`name part ${tooLong(63)}`);
  if (!qualified.test(name)) problems.push(`name part ${shape}`);
  return problems;
}

export function validateLabelValue(value: string): string[] {
  const problems = value.length > 63 ? [tooLong(63)] : [];
  if (!labelValue.test(value)) {
    problems.push(
      `a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', ${ALPHANUMERIC} (e.g. 'MyValue',  or 'my_value',  or '12345', ${regexNote(LABEL_VALUE)}`,
    );
  }
  return problems;
}

/** Validates a name as a URL path segment. With `prefix` (generateName) a suffix will follow. */
export function validatePathSegment(name: string, prefix = false): string[] {
  if (!prefix && (name === "." || name === "..")) return [`may not be '${name}'`];
  return ["/", "%"].filter((part) => name.includes(part)).map((part) => `may not contain '${part}'`);
}
