/** Statements about the behaviour of an API server; every case refers to at least one by its number. */
export interface Statement {
  readonly number: string;
  readonly text: string;
  /** Set where the cases of a statement are in another suite than `conformance/api`: the number of the issue that added it. */
  readonly issue?: number;
}

const statement = (number: string, text: string, issue?: number): Statement => ({
  number,
  text,
  ...(issue === undefined ? {} : { issue }),
});

export const statements: readonly Statement[] = [
  // Objects, names, concurrency.
  statement("A0", "A failed request returns a Status with message, reason, details and causes."),
  statement("A1", "A missing object is not found; the Status names resource and name."),
  statement("A2", "A path that is not served is not found."),
  statement("A3", "A verb that a resource does not support is not allowed."),
  statement("A4", "Creating an existing object returns AlreadyExists; the message tells whether it is terminating."),
  statement("A5", "A create request must not set resourceVersion."),
  statement("A6", "generateName: a prefix of at most 58 characters, five more, several attempts."),
  statement("A7", "System metadata of a new object is reset and set by the server."),
  statement("A8", "An update with a stale resourceVersion conflicts; without one it is refused for some kinds."),
  statement("A9", "uid, name and namespace of a body must match the object and the URL."),
  statement("A10", "An update creates a missing object for some kinds only."),
  statement("A11", "A patch with a resourceVersion is conditional; without one it is retried on conflict."),
  statement("A12", "Writes that change nothing store nothing."),
  statement("A13", "Immutable metadata; a terminating object accepts no new finalizers."),
  statement("A14", "One revision counter covers all writes, including deletions."),
  statement("A15", "generation counts changes of the desired state."),
  statement("A16", "Duplicate owner references are removed, with a warning."),
  // Status and scale.
  statement("B1", "Status is written only through its subresource."),
  statement("B2", "Scale is a view of three fields of the object."),
  // Deletion.
  statement("C1", "An object without finalizers is deleted at once; otherwise it is terminating until its last finalizer is removed."),
  statement("C2", "Pods are deleted gracefully; the grace period can only be shortened."),
  statement("C3", "Preconditions on uid and resourceVersion."),
  statement("C4", "Propagation policies set one of two finalizers; propagationPolicy and orphanDependents exclude each other."),
  statement("C5", "Dependents are garbage collected with their owners.", 8),
  statement("C6", "Collections are deleted object by object."),
  statement("C7", "Deleting a CRD deletes its objects."),
  // Lists and watches.
  statement("D1", "Lists at a resourceVersion: any, not older than, exact; too old, too new."),
  statement("D2", "Pages of one snapshot; an expired continue token returns an inconsistent one."),
  statement("D3", "Watches without a resourceVersion, from one, from one that is too old; timeoutSeconds."),
  statement("D4", "An object that stops matching a selector is DELETED, one that starts matching is ADDED."),
  statement("D5", "Bookmarks report the progress of a watch."),
  statement("D6", "Streaming lists: initial events, then a bookmark."),
  statement("D7", "Label and field selectors."),
  // Patches, apply, dry run, field validation.
  statement("E1", "JSON and merge patches; unknown patch types."),
  statement("E2", "Strategic merge patches and their directives."),
  statement("E3", "Server-side apply: managers, conflicts, force."),
  statement("E4", "A dry run does everything except storing."),
  statement("E5", "Unknown and duplicate fields: warned, refused or ignored."),
  // Custom resources.
  statement("F1", "CRDs: names, versions, conditions."),
  statement("F2", "Decoding, pruning, defaulting, validation; the kind of a body must match the URL."),
  statement("F3", "Validation errors have a cause per field."),
  statement("F4", "int-or-string, null, lists of type set and map."),
  statement("F5", "CEL validation rules, including transition rules."),
  statement("F6", "Additional printer columns."),
  statement("F7", "Several versions of one resource without conversion."),
  statement("F8", "Conversion webhooks.", 7),
  // Admission and access.
  statement("G1", "The order of admission.", 7),
  statement("G2", "Which webhooks match a request.", 7),
  statement("G3", "The admission review, and the effect of the response.", 7),
  statement("G4", "Validating and mutating admission policies.", 7),
  statement("G5", "Namespaces: missing, terminating, finalizers."),
  statement("G6", "Authorization messages; access and token reviews."),
  statement("G7", "Service account tokens."),
  statement("G8", "Events of both API groups are one resource; Leases have microseconds."),
  statement("G9", "LimitRanges."),
  statement("G10", "ResourceQuotas.", 7),
  // Protocols and encodings.
  statement("W1", "Aggregated discovery."),
  statement("W2", "Unaggregated discovery; version and health."),
  statement("W3", "OpenAPI v3 by group and version."),
  statement("W4", "Bodies in protobuf and YAML."),
  statement("W5", "Tables."),
  statement("W6", "Watches as JSON lines and over WebSockets."),
  statement("W7", "PartialObjectMetadata."),
  statement("W8", "Long responses are compressed if the client accepts gzip."),
  statement("W9", "Logs, exec, attach, port-forward and proxies.", 7),
];
