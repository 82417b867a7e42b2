import type { KindInfo } from "../../kinds/index.ts";
import { dropUndefined } from "./encode-object.ts";
import type { ApplyOptions, GetOptions, ObjectPatch, RequestOptions, WriteOptions } from "./options.ts";
import type { EvictionOptions, PodLogOptions, ServiceAccountToken, TokenRequestOptions } from "./pod-types.ts";
import { buildWriteQuery } from "./query.ts";
import { type NamespacedName, sendVerb, type VerbContext } from "./request.ts";
import { APPLY_PATCH_TYPE, buildApplyQuery, encodePatch } from "./write.ts";

/** A followed log may be idle for long; a lost peer is detected by TCP keep-alive. */
const FOLLOW_IDLE_TIMEOUT_MS = 4 * 60 * 60_000;
const LOG_IDLE_TIMEOUT_MS = 60_000;

/** Returns the verbs of one subresource; bodies and responses are of the kind of the subresource. */
export function createSubresourceVerbs(context: VerbContext, name: string) {
  const pathOf = (ref: NamespacedName) => ({ namespace: ref.namespace, name: ref.name, subresource: name });
  const withWholeObjects = (kind: KindInfo): KindInfo =>
    kind.metadataOnly ? Object.create(kind, { metadataOnly: { value: undefined } }) : kind;

  return {
    async get(kind: KindInfo, ref: NamespacedName, options: GetOptions = {}): Promise<unknown> {
      const query = options.resourceVersion === undefined ? undefined : { resourceVersion: options.resourceVersion };
      return (await sendVerb(context, "GET", withWholeObjects(kind), pathOf(ref), { query }, options)).json();
    },
    async create(kind: KindInfo, ref: NamespacedName, body: object, options: WriteOptions = {}): Promise<unknown> {
      const content = { body: dropUndefined(body, name), query: buildWriteQuery(options, context.fieldManager) };
      return (await sendVerb(context, "POST", withWholeObjects(kind), pathOf(ref), content, options)).json();
    },
    async replace(kind: KindInfo, ref: NamespacedName, body: object, options: WriteOptions = {}): Promise<unknown> {
      const content = { body: dropUndefined(body, name), query: buildWriteQuery(options, context.fieldManager) };
      return (await sendVerb(context, "PUT", withWholeObjects(kind), pathOf(ref), content, options)).json();
    },
    async patch(kind: KindInfo, ref: NamespacedName, patch: ObjectPatch, options: WriteOptions = {}): Promise<unknown> {
      const content = { ...encodePatch(patch), query: buildWriteQuery(options, context.fieldManager) };
      return (await sendVerb(context, "PATCH", withWholeObjects(kind), pathOf(ref), content, options)).json();
    },
    async apply(kind: KindInfo, ref: NamespacedName, body: object, options: ApplyOptions = {}): Promise<unknown> {
      const content = { body: dropUndefined(body, name), contentType: APPLY_PATCH_TYPE, query: buildApplyQuery(context, options) };
      return (await sendVerb(context, "PATCH", withWholeObjects(kind), pathOf(ref), content, options)).json();
    },
  };
}

/** Returns the verbs of subresources that are actions rather than parts of an object. */
export function createActionVerbs(context: VerbContext) {
  async function evict(kind: KindInfo, ref: NamespacedName, options: EvictionOptions = {}): Promise<void> {
    const { gracePeriodSeconds, uid, dryRun, signal, permit, auditId } = options;
    const deleteOptions = {
      ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
      ...(uid === undefined ? {} : { preconditions: { uid } }),
      ...(dryRun ? { dryRun: ["All"] } : {}),
    };
    const metadata = { name: ref.name, namespace: ref.namespace };
    const body = { apiVersion: "policy/v1", kind: "Eviction", metadata, deleteOptions };
    await createSubresourceVerbs(context, "eviction").create(kind, ref, body, { signal, dryRun, permit, auditId });
  }

  async function bind(kind: KindInfo, ref: NamespacedName, node: string, options: RequestOptions = {}): Promise<void> {
    const metadata = { name: ref.name, namespace: ref.namespace };
    const body = { apiVersion: "v1", kind: "Binding", metadata, target: { apiVersion: "v1", kind: "Node", name: node } };
    await createSubresourceVerbs(context, "binding").create(kind, ref, body, options);
  }

  async function createToken(kind: KindInfo, ref: NamespacedName, options: TokenRequestOptions = {}): Promise<ServiceAccountToken> {
    const { audiences, expirationSeconds, boundTo, signal, permit, auditId } = options;
    const spec = { audiences: audiences ?? [], expirationSeconds, boundObjectRef: boundTo };
    const body = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec };
    const response = (await createSubresourceVerbs(context, "token").create(kind, ref, body, { signal, permit, auditId })) as {
      readonly status: ServiceAccountToken;
    };
    return { token: response.status.token, expirationTimestamp: response.status.expirationTimestamp };
  }

  async function* logs(kind: KindInfo, ref: NamespacedName, options: PodLogOptions = {}): AsyncGenerator<Uint8Array> {
    const { signal, ...parameters } = options;
    const query = Object.fromEntries(
      Object.entries(parameters).map(([key, value]) => [key, value === undefined ? undefined : String(value)]),
    );
    const stream = { idleTimeout: options.follow ? FOLLOW_IDLE_TIMEOUT_MS : LOG_IDLE_TIMEOUT_MS };
    const target = { namespace: ref.namespace, name: ref.name, subresource: "log" };
    const response = await sendVerb(context, "GET", kind, target, { query, stream }, { signal });
    yield* response.bytes();
  }

  return { evict, bind, createToken, logs };
}
