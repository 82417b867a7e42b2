import { ApiError, badRequest, methodNotAllowed, noSuchPath, notFound, qualified } from "../status/index.ts";
import { type Call, type Kernel, resourceName } from "./call.ts";
import { PageNotFound } from "./page-not-found.ts";
import { COLLECTIONS, checkLanguage, checkStreamed, negotiate, OBJECTS, PROTOBUF_TYPE } from "./present/negotiate.ts";
import { includeObject } from "./present/table.ts";
import { isBuiltIn } from "./registry.ts";
import { type ApiAnswer, type ApiRequest, header, type JsonBody, type MediaType, type ObjectText, param } from "./request.ts";
import type { ResourceRequest } from "./request-info.ts";
import type { ServedResource, Subresource, Verb } from "./resource.ts";
import { action } from "./verbs/action.ts";
import type { Answered } from "./verbs/answered.ts";
import { connect, connection } from "./verbs/connect.ts";
import { create } from "./verbs/create.ts";
import { remove } from "./verbs/delete.ts";
import { removeCollection } from "./verbs/delete-collection.ts";
import { get } from "./verbs/get.ts";
import { list } from "./verbs/list.ts";
import { patch } from "./verbs/patch.ts";
import { replace } from "./verbs/replace.ts";
import { getScale, patchScale, replaceScale } from "./verbs/scale.ts";
import { watch } from "./verbs/watch.ts";

const VERBS: Readonly<Record<Exclude<Verb, "watch">, (call: Call) => Promise<Answered>>> = {
  create,
  get,
  list,
  update: replace,
  patch,
  delete: remove,
  deletecollection: removeCollection,
};

/** A request for a served resource, from its URL to its verb. */
export async function handleResource(
  kernel: Kernel,
  request: ApiRequest,
  info: ResourceRequest,
  warn: (text: string) => void,
): Promise<ApiAnswer> {
  const resource = kernel.registry.find(info.group, info.version, info.resource);
  if (resource === undefined) throw unserved(kernel, info);
  // /namespaces/x is at once a namespace and, to authorisation, something in it.
  const placed = resource.scope === "Cluster" && info.name === info.namespace ? { ...info, namespace: "" } : info;
  checkPlace(resource, placed);
  checkSegment(placed.name);

  const stream = connection({ resource, info: placed });
  if (stream !== undefined) return connect({ kernel, request, info: placed, resource, warn }, stream);

  const accept = header(request.headers, "accept");
  if (resource.typed) checkLanguage(accept, isCollection(placed) ? COLLECTIONS : OBJECTS);
  const presentation = negotiate(accept, resource.typed);
  const include = presentation.as?.kind === "Table" ? includeObject(request.query) : "";
  const view = { resource, presentation, include, now: kernel.clock.now() } as const;
  const call: Call = { kernel, request, info: placed, resource, view, warn };

  const tell = () => resource.deprecationWarning !== undefined && warn(resource.deprecationWarning);

  if (request.method === "HEAD" && resource.typed) throw methodNotAllowed();
  const { fresh } = kernel.store;
  if (fresh !== undefined && placed.verb !== "create" && param(request.query, "resourceVersion") !== "0") await fresh();
  if (placed.subresource === "" && placed.verb === "watch") {
    if (!resource.verbs.includes("watch")) throw resource.typed ? noSuchPath() : unsupported(resource, placed.verb);
    tell();
    checkStreamed(presentation);
    const { mediaType } = presentation;
    const type = mediaType === PROTOBUF_TYPE ? `${mediaType};stream=watch` : mediaType;
    return { status: 200, headers: { "content-type": type }, body: { type: "watch", stream: await watch(call) } };
  }
  const handler = verbOf(call);
  tell();
  const answered = await handler(call);
  const { mediaType } = presentation;
  return { status: answered.status, headers: { "content-type": mediaType }, body: new AnsweredBody(answered, mediaType) };
}

class AnsweredBody implements JsonBody {
  readonly type = "json";
  readonly as: MediaType;
  readonly #answered: Answered;

  constructor(answered: Answered, as: MediaType) {
    this.as = as;
    this.#answered = answered;
  }

  get value(): unknown {
    return this.#answered.value;
  }

  get written(): ObjectText | undefined {
    return this.#answered.written;
  }
}

function isCollection({ verb, subresource }: ResourceRequest): boolean {
  return subresource === "" && (verb === "list" || verb === "watch");
}

function verbOf({ resource, info }: Call): (call: Call) => Promise<Answered> {
  const { verb, subresource } = info;
  if (subresource === "") {
    // Of what is never stored there are no names.
    if (resource.ask !== undefined && info.name !== "") throw noSuchPath();
    if (verb === "watch" || !resource.verbs.includes(verb)) throw unsupported(resource, verb);
    checkTarget(resource, info);
    return VERBS[verb];
  }
  const found = resource.subresources.find((each) => each.name === subresource);
  if (found === undefined) throw resource.typed ? noSuchPath() : notFound(resourceName(resource), info.name);
  const handler = subresourceVerb(found, verb);
  if (handler === undefined) throw unsupported(resource, verb);
  return handler;
}

/** Objects are created in collections, and changed one by one. */
function checkTarget(resource: ServedResource, { verb, name }: ResourceRequest): void {
  const one = verb === "update" || verb === "patch";
  if (one && name === "") throw resource.typed ? methodNotAllowed() : badRequest("name must be provided");
  if (verb === "create" && name !== "" && resource.typed) throw methodNotAllowed();
}

function subresourceVerb(subresource: Subresource, verb: Verb): ((call: Call) => Promise<Answered>) | undefined {
  switch (subresource.type) {
    case "part":
      if (subresource.verbs?.includes(verb) === false) return undefined;
      return verb === "get" ? get : verb === "update" ? replace : verb === "patch" ? patch : undefined;
    case "scale": {
      const handler = verb === "get" ? getScale : verb === "update" ? replaceScale : verb === "patch" ? patchScale : undefined;
      return handler && ((call) => handler(call, subresource));
    }
    case "action":
      return subresource.verbs.includes(verb) ? (call) => action(call, subresource) : undefined;
    case "connect":
      return undefined;
  }
}

/** What cannot be one part of a path cannot be a name in it. */
function checkSegment(name: string): void {
  const wrong = name === "." || name === ".." ? `may not be '${name}'` : name.includes("%") ? "may not contain '%'" : undefined;
  if (wrong !== undefined) throw badRequest(`Name parameter invalid: ${JSON.stringify(name)}: ${wrong}`);
}

/** Namespaced resources live in namespaces, others do not; only collections are read across them. */
function checkPlace(resource: ServedResource, { verb, namespace, name }: ResourceRequest): void {
  if (resource.scope === "Cluster") {
    if (namespace !== "") throw resource.typed ? noSuchPath() : new PageNotFound();
    return;
  }
  if (namespace !== "") return;
  const across = verb === "list" || verb === "watch";
  if (across) return;
  if (!resource.typed) throw new PageNotFound();
  throw name === "" && resource.verbs.includes("list") ? methodNotAllowed() : noSuchPath();
}

/** Groups of built-in kinds have a router of their own, which answers in its own words. */
function unserved({ registry }: Kernel, { group }: ResourceRequest): Error {
  return isBuiltIn(registry, group) ? noSuchPath() : new PageNotFound();
}

function unsupported(resource: ServedResource, verb: Verb): ApiError {
  if (resource.typed) return methodNotAllowed();
  const of = resourceName(resource);
  const message = `${verb} is not supported on resources of kind ${JSON.stringify(qualified(of))}`;
  return new ApiError(405, "MethodNotAllowed", message, { group: of.group, kind: of.resource });
}
