/** A right that a user lacks, as the API server says it in a 403. */
export interface Refusal {
  readonly user: string;
  readonly verb: string;
  /** With a subresource: "pods/log". */
  readonly resource: string;
  readonly group: string;
  readonly namespace?: string | undefined;
}

const REFUSAL =
  /User "([^"]{1,300})" cannot ([a-z*]{1,40}) resource "([^"]{1,200})" in API group "([^"]{0,200})"(?: in the namespace "([^"]{1,200})")?/;

/** Finds the refused right in an error message. */
export function parseRefusal(message: string): Refusal | undefined {
  const [, user, verb, resource, group, namespace] = REFUSAL.exec(message) ?? [];
  if (user === undefined || verb === undefined || resource === undefined || group === undefined) return undefined;
  return { user, verb, resource, group, namespace };
}
