import type { JsonObject } from "pintle/kinds";
import { type AccessAttributes, type Authorizer, metadataOf, type UserInfo } from "../../api/index.ts";
import { type FieldError, fieldError, Verbatim } from "../../status/index.ts";
import { type Ask, refused, unexpectedMetadata } from "./question.ts";

interface Spec {
  readonly resourceAttributes?: ResourceAttributes | undefined;
  readonly nonResourceAttributes?: { readonly path?: string; readonly verb?: string } | undefined;
  readonly user?: string | undefined;
  readonly groups?: readonly string[] | undefined;
  readonly uid?: string | undefined;
  readonly extra?: Readonly<Record<string, readonly string[]>> | undefined;
}
interface ResourceAttributes {
  readonly namespace?: string;
  readonly verb?: string;
  readonly group?: string;
  readonly resource?: string;
  readonly subresource?: string;
  readonly name?: string;
  readonly fieldSelector?: Selector;
  readonly labelSelector?: Selector;
}
interface Selector {
  readonly rawSelector?: string;
  readonly requirements?: readonly object[];
}

/** May somebody do something? */
export function subjectAccessReview(authorizer: Authorizer): Ask {
  return async (question) => {
    const spec = specOf(question);
    const errors = [...specErrors(spec), ...subjectErrors(spec)];
    const metadata = unexpectedMetadata(question, []);
    if (metadata !== undefined) errors.push(fieldError.invalid("metadata", metadata, "must be empty"));
    if (errors.length > 0) throw refused(errors);
    return answered(question, authorizer, subjectOf(spec));
  };
}

/** May somebody do something in this namespace? Who may ask so may be less than who may ask about everything. */
export function localSubjectAccessReview(authorizer: Authorizer): Ask {
  return async (question) => {
    const spec = specOf(question);
    const errors = [...specErrors(spec), ...subjectErrors(spec)];
    const metadata = unexpectedMetadata(question, ["namespace"]);
    if (metadata !== undefined) errors.push(fieldError.invalid("metadata", metadata, "must be empty except for namespace"));
    const { resourceAttributes: resource, nonResourceAttributes: path } = spec;
    if (resource !== undefined && (resource.namespace ?? "") !== (metadataOf(question).namespace ?? "")) {
      const given = resource.namespace ?? "";
      errors.push(fieldError.invalid("spec.resourceAttributes.namespace", given, "must match metadata.namespace"));
    }
    if (path !== undefined)
      errors.push(fieldError.invalid("spec.nonResourceAttributes", shown(path), "disallowed on this kind of request"));
    if (errors.length > 0) throw refused(errors);
    return answered(question, authorizer, subjectOf(spec));
  };
}

/** May I do something? */
export function selfSubjectAccessReview(authorizer: Authorizer): Ask {
  return async (question, { user }) => {
    const errors = [...specErrors(specOf(question))];
    const metadata = unexpectedMetadata(question, []);
    if (metadata !== undefined) errors.push(fieldError.invalid("metadata", metadata, "must be empty"));
    if (errors.length > 0) throw refused(errors);
    return answered(question, authorizer, user);
  };
}

const specOf = (question: JsonObject) => (question["spec"] ?? {}) as Spec;

function subjectOf({ user = "", groups = [], uid, extra }: Spec): UserInfo {
  return { name: user, groups, uid, extra };
}

async function answered(question: JsonObject, authorizer: Authorizer, user: UserInfo): Promise<JsonObject> {
  const { allowed, reason } = await authorizer.authorize({ user, info: accessOf(specOf(question)) });
  return { ...question, status: { allowed, ...(reason === undefined ? {} : { reason }) } };
}

function accessOf({ resourceAttributes: of, nonResourceAttributes: at }: Spec): AccessAttributes["info"] {
  if (of === undefined) return { type: "path", path: at?.path ?? "", verb: at?.verb ?? "" };
  const { verb = "", group = "", resource = "", subresource = "", namespace = "", name = "" } = of;
  return { type: "resource", verb, group, resource, subresource, namespace, name };
}

function* subjectErrors({ user, groups = [] }: Spec): Iterable<FieldError> {
  if (!user && groups.length === 0) yield fieldError.invalid("spec.user", user ?? "", "at least one of user or group must be specified");
}

function* specErrors({ resourceAttributes: resource, nonResourceAttributes: path }: Spec): Iterable<FieldError> {
  if (resource !== undefined && path !== undefined) {
    yield fieldError.invalid("spec.nonResourceAttributes", shown(path), "cannot be specified in combination with resourceAttributes");
  }
  if (resource === undefined && path === undefined) {
    const why = "exactly one of nonResourceAttributes or resourceAttributes must be specified";
    yield fieldError.invalid("spec.resourceAttributes", null, why);
  }
  for (const field of ["fieldSelector", "labelSelector"] as const) {
    const selector = resource?.[field];
    if (selector !== undefined) yield* selectorErrors(`spec.resourceAttributes.${field}`, selector);
  }
}

function* selectorErrors(at: string, { rawSelector = "", requirements = [] }: Selector): Iterable<FieldError> {
  if (rawSelector !== "" && requirements.length > 0) {
    yield fieldError.invalid(`${at}.rawSelector`, rawSelector, "may not specified at the same time as requirements");
  }
  if (rawSelector === "" && requirements.length === 0) {
    yield fieldError.required(`${at}.requirements`, `when ${at} is specified, requirements or rawSelector is required`);
  }
}

function shown({ path = "", verb = "" }: NonNullable<Spec["nonResourceAttributes"]>): Verbatim {
  return new Verbatim(JSON.stringify({ Path: path, Verb: verb }));
}
