/** A right that a user lacks, as the API server says it in a 403. */
export interface Refusal {
  readonly user: string;
  readonly verb: string;
  /** With a subresource: "pods/log". */
  readonly resource: string;
  readonly group: string;
  readonly namespace?: string | undefined;
}

/** As the API server says it, and as the client says it to reconcile. */
const REFUSALS = [
  /User "([^"]{1,300})" cannot ([a-z*]{1,40}) resource "([^"]{1,200})" in API group "([^"]{0,200})"(?: in the namespace "([^"]{1,200})")?/,
  /user "([^"]{1,300})" is not allowed to ([a-z*]{1,40}) "([^"]{1,200})" in API group "([^"]{0,200})"(?: in namespace "([^"]{1,200})")?/,
];

/** Finds the refused right in an error message. */
export function parseRefusal(message: string): Refusal | undefined {
  for (const pattern of REFUSALS) {
    const [, user, verb, resource, group, namespace] = pattern.exec(message) ?? [];
    if (user !== undefined && verb !== undefined && resource !== undefined && group !== undefined)
      return { user, verb, resource, group, namespace };
  }
  return undefined;
}
