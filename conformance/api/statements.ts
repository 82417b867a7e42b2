/** What an API server does, statement by statement; every case is about at least one, by its number. */
export interface Statement {
  readonly number: string;
  readonly says: string;
  /** The issue that a statement belongs to where it is not about plain requests: its cases live in that issue's suites. */
  readonly issue?: number;
}

const statement = (number: string, says: string, issue?: number): Statement => ({
  number,
  says,
  ...(issue === undefined ? {} : { issue }),
});

export const statements: readonly Statement[] = [
  // Objects, names, concurrency.
  statement("A0", "What fails is a Status with message, reason, details and causes."),
  statement("A1", "What is missing is not found, by its resource and name."),
  statement("A2", "A path that nobody serves is not found."),
  statement("A3", "A verb that a resource does not have is not allowed."),
  statement("A4", "What exists cannot be created; what is being deleted says so."),
  statement("A5", "A new object has no resourceVersion."),
  statement("A6", "generateName: a prefix of at most 58 characters, five more, several attempts."),
  statement("A7", "What the server decides about a new object is wiped and set."),
  statement("A8", "A replacement with a stale resourceVersion conflicts; without one it is refused for some kinds."),
  statement("A9", "uid, name and namespace of a body agree with the object and the URL."),
  statement("A10", "A replacement creates what is missing of some kinds only."),
  statement("A11", "A patch with a resourceVersion is conditional; without one it is tried again."),
  statement("A12", "Writes that change nothing store nothing."),
  statement("A13", "Metadata that cannot change; what is being deleted gains no finalizers."),
  statement("A14", "One revision counts everything, deletions too."),
  statement("A15", "generation counts changes of what is wanted."),
  statement("A16", "Owners that are there twice go, with a warning."),
  // Status and scale.
  statement("B1", "Status is written through its subresource, and only there."),
  statement("B2", "Scale is a view of three places of the object."),
  // Deletion.
  statement("C1", "What nothing holds goes at once; what is held is marked, and goes when it is let go."),
  statement("C2", "Pods have time to go, which can only become less."),
  statement("C3", "Preconditions on uid and resourceVersion."),
  statement("C4", "Propagation is a matter of two finalizers; both ways to ask for it exclude each other."),
  statement("C5", "Dependents follow their owners.", 8),
  statement("C6", "Collections are deleted object by object."),
  statement("C7", "With a definition go its objects."),
  // Lists and watches.
  statement("D1", "Lists at a version: any, at least, exactly; too old, too new."),
  statement("D2", "Pages of one snapshot; tokens that are too old lead on."),
  statement("D3", "Watches from nothing, from a version, from one that is too old; they end in time."),
  statement("D4", "What leaves a selection is deleted, what enters it is added."),
  statement("D5", "Bookmarks tell how far a watch has come."),
  statement("D6", "The state first, and a bookmark at its end."),
  statement("D7", "Selectors of labels and fields."),
  // Patches, apply, dry run, field validation.
  statement("E1", "JSON and merge patches; patches of no known type."),
  statement("E2", "Strategic merge patches and their directives."),
  statement("E3", "Server-side apply: managers, conflicts, force."),
  statement("E4", "A dry run does everything but store."),
  statement("E5", "Unknown and repeated fields: a warning, a refusal, or nothing."),
  // Custom resources.
  statement("F1", "Definitions: names, versions, conditions."),
  statement("F2", "Decode, prune, default, validate; a body is of the kind that the URL says."),
  statement("F3", "What is invalid is told field by field."),
  statement("F4", "Integers or strings, null, lists that are sets and maps."),
  statement("F5", "Rules in CEL, transitions among them."),
  statement("F6", "Columns of tables."),
  statement("F7", "Several versions of one resource, which look the same."),
  statement("F8", "Versions that a webhook converts.", 7),
  // Admission and access.
  statement("G1", "The order of admission.", 7),
  statement("G2", "Which webhooks a request meets.", 7),
  statement("G3", "What a webhook is asked, and what its answer does.", 7),
  statement("G4", "Policies in CEL.", 7),
  statement("G5", "Namespaces: missing, terminating, held."),
  statement("G6", "Who may do what, in words; reviews that tell."),
  statement("G7", "Tokens of service accounts."),
  statement("G8", "Events of two groups are one; leases keep microseconds."),
  statement("G9", "Limits of a namespace."),
  statement("G10", "Quotas of a namespace.", 7),
  // On the wire.
  statement("W1", "Discovery in one document."),
  statement("W2", "Discovery group by group; version and health."),
  statement("W3", "OpenAPI v3 by group and version."),
  statement("W4", "Bodies in protobuf and YAML."),
  statement("W5", "Tables."),
  statement("W6", "A watch line by line, and over a WebSocket."),
  statement("W7", "Metadata only."),
  statement("W8", "Long answers are compressed for who can read them."),
  statement("W9", "Logs, exec, attach, port-forward and proxies.", 7),
];
