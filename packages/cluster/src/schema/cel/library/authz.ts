import type { Declared } from "../check/functions.ts";
import { type Failure, fail, Opaque, type Value } from "../values/value.ts";

/** Somebody, as far as expressions ask about them. */
export interface Asker {
  readonly name: string;
  readonly groups: readonly string[];
}

/** May somebody do this? With a path, it is about the path; otherwise about a resource. */
export interface AccessQuestion {
  readonly user: Asker;
  readonly verb: string;
  readonly path?: string | undefined;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
}

export interface AccessDecision {
  readonly allowed: boolean;
  readonly reason: string;
}

/** Answers at once; may throw, which ends the evaluation. */
export type Decide = (question: AccessQuestion) => AccessDecision;

const PACKAGE = "kubernetes.authorization";

/** What can only be asked and never compared. */
abstract class Asked extends Opaque {
  equals(other: Opaque): boolean {
    return this === other;
  }
}

/** The variable `authorizer`. */
export class AuthorizerValue extends Asked {
  readonly typeName = `${PACKAGE}.Authorizer`;
  readonly user: Asker;
  readonly decide: Decide;
  constructor(user: Asker, decide: Decide) {
    super();
    this.user = user;
    this.decide = decide;
  }
}

class PathCheck extends Asked {
  readonly typeName = `${PACKAGE}.PathCheck`;
  readonly by: AuthorizerValue;
  readonly path: string;
  constructor(by: AuthorizerValue, path: string) {
    super();
    this.by = by;
    this.path = path;
  }
}

class GroupCheck extends Asked {
  readonly typeName = `${PACKAGE}.GroupCheck`;
  readonly by: AuthorizerValue;
  readonly group: string;
  constructor(by: AuthorizerValue, group: string) {
    super();
    this.by = by;
    this.group = group;
  }
}

type Resource = Pick<AccessQuestion, "group" | "resource" | "subresource" | "namespace" | "name">;

/** The variable `authorizer.requestResource`, and what is made of a group. */
export class ResourceCheck extends Asked {
  readonly typeName = `${PACKAGE}.ResourceCheck`;
  readonly by: AuthorizerValue;
  readonly of: Resource;
  constructor(by: AuthorizerValue, of: Resource) {
    super();
    this.by = by;
    this.of = of;
  }
  with(change: Partial<Resource>): ResourceCheck {
    return new ResourceCheck(this.by, { ...this.of, ...change });
  }
}

class DecisionValue extends Asked {
  readonly typeName = `${PACKAGE}.Decision`;
  readonly decision: AccessDecision;
  constructor(decision: AccessDecision) {
    super();
    this.decision = decision;
  }
}

const NOWHERE: Resource = { group: "", resource: "", subresource: "", namespace: "", name: "" };
const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

function serviceAccount({ decide }: AuthorizerValue, namespace: string, name: string): AuthorizerValue | Failure {
  if (!SUBDOMAIN.test(name) || name.length > 253) return fail("Invalid service account name");
  if (!LABEL.test(namespace) || namespace.length > 63) return fail("Invalid service account namespace");
  const groups = ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, "system:authenticated"];
  return new AuthorizerValue({ name: `system:serviceaccount:${namespace}:${name}`, groups }, decide);
}

function given(text: string, what: string, make: () => Value): Value {
  return text.trim() === "" ? fail(`${what} must not be empty`) : make();
}

const decided = ({ user, decide }: AuthorizerValue, question: Resource & { readonly path?: string }, verb: string) =>
  new DecisionValue(decide({ user, verb, ...question }));

const a = (type: string) => `${PACKAGE}.${type}`;
const narrowed = (name: keyof Resource): Declared => [
  `resourcecheck_${name}`,
  `${a("ResourceCheck")}.${name}(string): ${a("ResourceCheck")}`,
  (check: ResourceCheck, value: string) => check.with({ [name]: value }),
];
/** Selectors decide nothing where roles know none. */
const selecting = (name: string): Declared => [
  `authorizer_${name.toLowerCase()}`,
  `${a("ResourceCheck")}.${name}(string): ${a("ResourceCheck")}`,
  (check: ResourceCheck) => check,
];

/** Who may do what, asked in the middle of an expression. */
export const authz: readonly Declared[] = [
  [
    "authorizer_path",
    `${a("Authorizer")}.path(string): ${a("PathCheck")}`,
    (by: AuthorizerValue, path: string) => given(path, "path", () => new PathCheck(by, path)),
  ],
  [
    "authorizer_group",
    `${a("Authorizer")}.group(string): ${a("GroupCheck")}`,
    (by: AuthorizerValue, group: string) => new GroupCheck(by, group),
  ],
  ["authorizer_serviceaccount", `${a("Authorizer")}.serviceAccount(string, string): ${a("Authorizer")}`, serviceAccount],
  [
    "groupcheck_resource",
    `${a("GroupCheck")}.resource(string): ${a("ResourceCheck")}`,
    ({ by, group }: GroupCheck, resource: string) =>
      given(resource, "resource", () => new ResourceCheck(by, { ...NOWHERE, group, resource })),
  ],
  narrowed("subresource"),
  narrowed("namespace"),
  narrowed("name"),
  selecting("fieldSelector"),
  selecting("labelSelector"),
  [
    "pathcheck_check",
    `${a("PathCheck")}.check(string): ${a("Decision")}`,
    ({ by, path }: PathCheck, verb: string) => decided(by, { ...NOWHERE, path }, verb),
  ],
  [
    "resourcecheck_check",
    `${a("ResourceCheck")}.check(string): ${a("Decision")}`,
    ({ by, of }: ResourceCheck, verb: string) => decided(by, of, verb),
  ],
  ["decision_errored", `${a("Decision")}.errored(): bool`, () => false],
  ["decision_error", `${a("Decision")}.error(): string`, () => ""],
  ["decision_allowed", `${a("Decision")}.allowed(): bool`, ({ decision }: DecisionValue) => decision.allowed],
  ["decision_reason", `${a("Decision")}.reason(): string`, ({ decision }: DecisionValue) => decision.reason],
];
