import type { OverloadDefinition } from "../check/functions.ts";
import { createFailure, type Failure, OpaqueValue, type Value } from "../values/value.ts";

/** The user of an authorization check. */
export interface AuthorizerUser {
  readonly name: string;
  readonly groups: readonly string[];
}

/** Attributes of an authorization check: of a non-resource path if `path` is set, otherwise of a resource. */
export interface AuthorizerAttributes {
  readonly user: AuthorizerUser;
  readonly verb: string;
  readonly path?: string | undefined;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
}

export interface AuthorizerDecision {
  readonly allowed: boolean;
  readonly reason: string;
}

/** Decides an authorization check synchronously; an exception ends the evaluation. */
export type AuthorizeFunction = (question: AuthorizerAttributes) => AuthorizerDecision;

const PACKAGE = "kubernetes.authorization";

/** A value that is equal to itself only. */
abstract class UncomparableValue extends OpaqueValue {
  equals(other: OpaqueValue): boolean {
    return this === other;
  }
}

/** Value of the variable `authorizer`. */
export class AuthorizerValue extends UncomparableValue {
  readonly typeName = `${PACKAGE}.Authorizer`;
  readonly user: AuthorizerUser;
  readonly decide: AuthorizeFunction;
  constructor(user: AuthorizerUser, decide: AuthorizeFunction) {
    super();
    this.user = user;
    this.decide = decide;
  }
}

class PathCheck extends UncomparableValue {
  readonly typeName = `${PACKAGE}.PathCheck`;
  readonly authorizer: AuthorizerValue;
  readonly path: string;
  constructor(authorizer: AuthorizerValue, path: string) {
    super();
    this.authorizer = authorizer;
    this.path = path;
  }
}

class GroupCheck extends UncomparableValue {
  readonly typeName = `${PACKAGE}.GroupCheck`;
  readonly authorizer: AuthorizerValue;
  readonly group: string;
  constructor(authorizer: AuthorizerValue, group: string) {
    super();
    this.authorizer = authorizer;
    this.group = group;
  }
}

type CheckedResource = Pick<AuthorizerAttributes, "group" | "resource" | "subresource" | "namespace" | "name">;

/** Value of the variable `authorizer.requestResource`, and of `authorizer.group(...).resource(...)`. */
export class ResourceCheck extends UncomparableValue {
  readonly typeName = `${PACKAGE}.ResourceCheck`;
  readonly authorizer: AuthorizerValue;
  readonly attributes: CheckedResource;
  constructor(authorizer: AuthorizerValue, attributes: CheckedResource) {
    super();
    this.authorizer = authorizer;
    this.attributes = attributes;
  }
  with(change: Partial<CheckedResource>): ResourceCheck {
    return new ResourceCheck(this.authorizer, { ...this.attributes, ...change });
  }
}

class DecisionValue extends UncomparableValue {
  readonly typeName = `${PACKAGE}.Decision`;
  readonly decision: AuthorizerDecision;
  constructor(decision: AuthorizerDecision) {
    super();
    this.decision = decision;
  }
}

const EMPTY_ATTRIBUTES: CheckedResource = { group: "", resource: "", subresource: "", namespace: "", name: "" };
const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

function createServiceAccountAuthorizer({ decide }: AuthorizerValue, namespace: string, name: string): AuthorizerValue | Failure {
  if (!SUBDOMAIN.test(name) || name.length > 253) return createFailure("Invalid service account name");
  if (!LABEL.test(namespace) || namespace.length > 63) return createFailure("Invalid service account namespace");
  const groups = ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, "system:authenticated"];
  return new AuthorizerValue({ name: `system:serviceaccount:${namespace}:${name}`, groups }, decide);
}

function requireNonEmpty(text: string, what: string, make: () => Value): Value {
  return text.trim() === "" ? createFailure(`${what} must not be empty`) : make();
}

const decideAccess = ({ user, decide }: AuthorizerValue, question: CheckedResource & { readonly path?: string }, verb: string) =>
  new DecisionValue(decide({ user, verb, ...question }));

const getTypeName = (type: string) => `${PACKAGE}.${type}`;
const createAttributeOverload = (name: keyof CheckedResource): OverloadDefinition => [
  `resourcecheck_${name}`,
  `${getTypeName("ResourceCheck")}.${name}(string): ${getTypeName("ResourceCheck")}`,
  (check: ResourceCheck, value: string) => check.with({ [name]: value }),
];
/** RBAC ignores selectors, so these overloads return the check unchanged. */
const createSelectorOverload = (name: string): OverloadDefinition => [
  `authorizer_${name.toLowerCase()}`,
  `${getTypeName("ResourceCheck")}.${name}(string): ${getTypeName("ResourceCheck")}`,
  (check: ResourceCheck) => check,
];

/** The authorizer library: authorization checks inside of expressions. */
export const authorizerFunctions: readonly OverloadDefinition[] = [
  [
    "authorizer_path",
    `${getTypeName("Authorizer")}.path(string): ${getTypeName("PathCheck")}`,
    (by: AuthorizerValue, path: string) => requireNonEmpty(path, "path", () => new PathCheck(by, path)),
  ],
  [
    "authorizer_group",
    `${getTypeName("Authorizer")}.group(string): ${getTypeName("GroupCheck")}`,
    (by: AuthorizerValue, group: string) => new GroupCheck(by, group),
  ],
  [
    "authorizer_serviceaccount",
    `${getTypeName("Authorizer")}.serviceAccount(string, string): ${getTypeName("Authorizer")}`,
    createServiceAccountAuthorizer,
  ],
  [
    "groupcheck_resource",
    `${getTypeName("GroupCheck")}.resource(string): ${getTypeName("ResourceCheck")}`,
    ({ authorizer: by, group }: GroupCheck, resource: string) =>
      requireNonEmpty(resource, "resource", () => new ResourceCheck(by, { ...EMPTY_ATTRIBUTES, group, resource })),
  ],
  createAttributeOverload("subresource"),
  createAttributeOverload("namespace"),
  createAttributeOverload("name"),
  createSelectorOverload("fieldSelector"),
  createSelectorOverload("labelSelector"),
  [
    "pathcheck_check",
    `${getTypeName("PathCheck")}.check(string): ${getTypeName("Decision")}`,
    ({ authorizer: by, path }: PathCheck, verb: string) => decideAccess(by, { ...EMPTY_ATTRIBUTES, path }, verb),
  ],
  [
    "resourcecheck_check",
    `${getTypeName("ResourceCheck")}.check(string): ${getTypeName("Decision")}`,
    ({ authorizer: by, attributes: of }: ResourceCheck, verb: string) => decideAccess(by, of, verb),
  ],
  ["decision_errored", `${getTypeName("Decision")}.errored(): bool`, () => false],
  ["decision_error", `${getTypeName("Decision")}.error(): string`, () => ""],
  ["decision_allowed", `${getTypeName("Decision")}.allowed(): bool`, ({ decision }: DecisionValue) => decision.allowed],
  ["decision_reason", `${getTypeName("Decision")}.reason(): string`, ({ decision }: DecisionValue) => decision.reason],
];
