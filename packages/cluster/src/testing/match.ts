/** A value, one of several, or a pattern. */
export type OneOf = string | readonly string[] | RegExp;

/** Which requests are meant: every property that is there must fit. */
export interface RequestMatch {
  /** As RBAC names it: "get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"; elsewhere the method in lower case. */
  readonly verb?: OneOf | undefined;
  /** The plural: "pods". With a subresource: "pods/status"; requests for a subresource match only where it is named. */
  readonly resource?: OneOf | undefined;
  readonly group?: OneOf | undefined;
  readonly namespace?: OneOf | undefined;
  readonly name?: OneOf | undefined;
  /** As whom it is carried out. */
  readonly user?: OneOf | undefined;
  readonly fieldManager?: OneOf | undefined;
  readonly path?: OneOf | undefined;
}

/** Requests that have been answered. */
export interface EntryMatch extends RequestMatch {
  readonly code?: number | undefined;
  readonly reason?: OneOf | undefined;
  readonly dryRun?: boolean | undefined;
}

/** What is known of a request before it is answered. */
export interface RequestFacts {
  readonly user: string;
  /** Who sent it, where that is somebody else. */
  readonly by?: string | undefined;
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  /** Empty where the request is not about a resource. */
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly path: string;
  readonly fieldManager: string;
  readonly dryRun: boolean;
}

export function fits(wanted: OneOf | undefined, value: string): boolean {
  if (wanted === undefined) return true;
  if (typeof wanted === "string") return wanted === value;
  return wanted instanceof RegExp ? wanted.test(value) : wanted.includes(value);
}

export function matchesRequest(match: RequestMatch, facts: RequestFacts): boolean {
  const resource = facts.subresource === "" ? facts.resource : `${facts.resource}/${facts.subresource}`;
  return (
    fits(match.verb, facts.verb) &&
    fits(match.resource, resource) &&
    fits(match.group, facts.group) &&
    fits(match.namespace, facts.namespace) &&
    fits(match.name, facts.name) &&
    fits(match.user, facts.user) &&
    fits(match.fieldManager, facts.fieldManager) &&
    fits(match.path, facts.path)
  );
}
