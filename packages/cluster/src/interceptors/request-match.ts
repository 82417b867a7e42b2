/** Matches a string: an exact value, one of several, or a pattern. */
export type StringMatch = string | readonly string[] | RegExp;

/** Selects requests: every given property must match. Default of each property: any. */
export interface RequestMatch {
  /**
   * The verb of RBAC: "get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"; for non-resource requests the
   * lower-case HTTP method. Default: any.
   */
  readonly verb?: StringMatch | undefined;
  /** The plural, "pods", or with a subresource "pods/status". Requests for a subresource match only where it is named. Default: any. */
  readonly resource?: StringMatch | undefined;
  /** The API group; "" is that of core kinds. Default: any. */
  readonly group?: StringMatch | undefined;
  /** The namespace; "" for cluster-scoped requests. Default: any. */
  readonly namespace?: StringMatch | undefined;
  /** The name of the object. Default: any. */
  readonly name?: StringMatch | undefined;
  /** The user, after impersonation. Default: any. */
  readonly user?: StringMatch | undefined;
  /** The field manager of a write. Default: any. */
  readonly fieldManager?: StringMatch | undefined;
  /** The path, without the query. Default: any. */
  readonly path?: StringMatch | undefined;
}

/** Selects entries of the audit log. */
export interface AuditLogMatch extends RequestMatch {
  /** The HTTP status. Default: any. */
  readonly code?: number | undefined;
  /** The reason of an error response. Default: any. */
  readonly reason?: StringMatch | undefined;
  /** Whether the request was a dry run. Default: any. */
  readonly dryRun?: boolean | undefined;
}

/** Attributes of a request before it is executed. */
export interface RequestAttributes {
  /** The user, after impersonation. */
  readonly user: string;
  /** The authenticated user of an impersonated request. Default: the request was not impersonated. */
  readonly impersonatedBy?: string | undefined;
  /** The verb of RBAC, or the lower-case HTTP method of a non-resource request. */
  readonly verb: string;
  /** The API group. */
  readonly group: string;
  /** The API version. */
  readonly version: string;
  /** Empty for a non-resource request. */
  readonly resource: string;
  /** The subresource; empty for the object itself. */
  readonly subresource: string;
  /** The namespace; empty for cluster-scoped requests. */
  readonly namespace: string;
  /** The name of the object; empty for collections. */
  readonly name: string;
  /** The path, without the query. */
  readonly path: string;
  /** The field manager of a write; empty for others. */
  readonly fieldManager: string;
  /** Whether the request was a dry run. */
  readonly dryRun: boolean;
}

export function matchesString(match: StringMatch | undefined, value: string): boolean {
  if (match === undefined) return true;
  if (typeof match === "string") return match === value;
  return match instanceof RegExp ? match.test(value) : match.includes(value);
}

export function matchesRequest(match: RequestMatch, attributes: RequestAttributes): boolean {
  const resource = attributes.subresource === "" ? attributes.resource : `${attributes.resource}/${attributes.subresource}`;
  return (
    matchesString(match.verb, attributes.verb) &&
    matchesString(match.resource, resource) &&
    matchesString(match.group, attributes.group) &&
    matchesString(match.namespace, attributes.namespace) &&
    matchesString(match.name, attributes.name) &&
    matchesString(match.user, attributes.user) &&
    matchesString(match.fieldManager, attributes.fieldManager) &&
    matchesString(match.path, attributes.path)
  );
}
