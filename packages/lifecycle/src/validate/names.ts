const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const SUBDOMAIN_RULE =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric " +
  "character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const MAX_SUBDOMAIN = 253;
const LABEL_VALUE = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/;
const LABEL_VALUE_RULE =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric " +
  "character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const MAX_LABEL_VALUE = 63;

/** Why a text can be neither the name of an object nor the value of a label, which names of CSVs are both; undefined if it can. */
export function joinNameProblems(name: string): string | undefined {
  const length = Buffer.byteLength(name);
  const problems = [
    ...(length > MAX_SUBDOMAIN ? [`must be no more than ${MAX_SUBDOMAIN} bytes`] : []),
    ...(SUBDOMAIN.test(name) ? [] : [SUBDOMAIN_RULE]),
    ...(length > MAX_LABEL_VALUE ? [`must be no more than ${MAX_LABEL_VALUE} bytes`] : []),
    ...(LABEL_VALUE.test(name) ? [] : [LABEL_VALUE_RULE]),
  ];
  return problems.length === 0 ? undefined : problems.join(",");
}
