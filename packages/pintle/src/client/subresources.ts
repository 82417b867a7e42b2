import type { KindFacts } from "../kinds/index.ts";
import { type Core, type PlainRef, send } from "./core.ts";
import type { ApplyOptions, CallOptions, GetOptions, Patch, WriteOptions } from "./options.ts";
import type { EvictOptions, LogOptions, Token, TokenOptions } from "./pod.ts";
import { writeQuery } from "./query.ts";
import { APPLY, applyQuery, patchBody } from "./writing.ts";
import { withoutUndefined } from "./written.ts";

/** Followed output may be silent for long; what is gone is noticed by the connection's keep-alive. */
const FOLLOWED_SILENCE = 4 * 60 * 60_000;
const LOG_SILENCE = 60_000;

/** The verbs on one subresource; bodies and answers are of whatever kind it is. */
export function subresource(core: Core, name: string) {
  const at = (ref: PlainRef) => ({ namespace: ref.namespace, name: ref.name, subresource: name });
  const whole = (kind: KindFacts): KindFacts => (kind.metadataOnly ? Object.create(kind, { metadataOnly: { value: undefined } }) : kind);

  return {
    async get(kind: KindFacts, ref: PlainRef, options: GetOptions = {}): Promise<unknown> {
      const query = options.resourceVersion === undefined ? undefined : { resourceVersion: options.resourceVersion };
      return (await send(core, "GET", whole(kind), at(ref), { query }, options)).json();
    },
    async create(kind: KindFacts, ref: PlainRef, body: object, options: WriteOptions = {}): Promise<unknown> {
      const sent = { body: withoutUndefined(body, name), query: writeQuery(options, core.fieldManager) };
      return (await send(core, "POST", whole(kind), at(ref), sent, options)).json();
    },
    async replace(kind: KindFacts, ref: PlainRef, body: object, options: WriteOptions = {}): Promise<unknown> {
      const sent = { body: withoutUndefined(body, name), query: writeQuery(options, core.fieldManager) };
      return (await send(core, "PUT", whole(kind), at(ref), sent, options)).json();
    },
    async patch(kind: KindFacts, ref: PlainRef, patch: Patch, options: WriteOptions = {}): Promise<unknown> {
      const sent = { ...patchBody(patch), query: writeQuery(options, core.fieldManager) };
      return (await send(core, "PATCH", whole(kind), at(ref), sent, options)).json();
    },
    async apply(kind: KindFacts, ref: PlainRef, body: object, options: ApplyOptions = {}): Promise<unknown> {
      const sent = { body: withoutUndefined(body, name), contentType: APPLY, query: applyQuery(core, options) };
      return (await send(core, "PATCH", whole(kind), at(ref), sent, options)).json();
    },
  };
}

/** Subresources that are deeds rather than parts of an object. */
export function deeds(core: Core) {
  async function evict(kind: KindFacts, ref: PlainRef, options: EvictOptions = {}): Promise<void> {
    const { gracePeriodSeconds, uid, dryRun, signal } = options;
    const deleteOptions = {
      ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
      ...(uid === undefined ? {} : { preconditions: { uid } }),
      ...(dryRun ? { dryRun: ["All"] } : {}),
    };
    const metadata = { name: ref.name, namespace: ref.namespace };
    const body = { apiVersion: "policy/v1", kind: "Eviction", metadata, deleteOptions };
    await subresource(core, "eviction").create(kind, ref, body, { signal, dryRun });
  }

  async function bind(kind: KindFacts, ref: PlainRef, node: string, options: CallOptions = {}): Promise<void> {
    const metadata = { name: ref.name, namespace: ref.namespace };
    const body = { apiVersion: "v1", kind: "Binding", metadata, target: { apiVersion: "v1", kind: "Node", name: node } };
    await subresource(core, "binding").create(kind, ref, body, options);
  }

  async function token(kind: KindFacts, ref: PlainRef, options: TokenOptions = {}): Promise<Token> {
    const { audiences, expirationSeconds, boundTo, signal } = options;
    const spec = { audiences: audiences ?? [], expirationSeconds, boundObjectRef: boundTo };
    const body = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec };
    const answer = (await subresource(core, "token").create(kind, ref, body, { signal })) as { readonly status: Token };
    return { token: answer.status.token, expirationTimestamp: answer.status.expirationTimestamp };
  }

  async function* logs(kind: KindFacts, ref: PlainRef, options: LogOptions = {}): AsyncGenerator<Uint8Array> {
    const { signal, ...asked } = options;
    const query = Object.fromEntries(Object.entries(asked).map(([key, value]) => [key, value === undefined ? undefined : String(value)]));
    const stream = { silence: options.follow ? FOLLOWED_SILENCE : LOG_SILENCE };
    const place = { namespace: ref.namespace, name: ref.name, subresource: "log" };
    const response = await send(core, "GET", kind, place, { query, stream }, { signal });
    yield* response.bytes();
  }

  return { evict, bind, token, logs };
}
