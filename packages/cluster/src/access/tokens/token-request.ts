import type { JsonObject } from "pintle/kinds";
import { type ActionRequest, type ActionSubresource, metadataOf, timestamp, withMetadata } from "../../api/index.ts";
import { badRequest, conflict, fieldError, invalid, notFound } from "../../status/index.ts";
import type { AccountTokens, TokenFacts } from "./account-tokens.ts";
import type { Reference } from "./claims.ts";

interface Spec {
  readonly audiences?: readonly string[] | null | undefined;
  readonly expirationSeconds: number;
  readonly boundObjectRef?: BoundObjectRef | null | undefined;
}
interface BoundObjectRef {
  readonly apiVersion?: string | undefined;
  readonly kind?: string | undefined;
  readonly name?: string | undefined;
  readonly uid?: string | undefined;
}

const TYPE = { group: "authentication.k8s.io", resource: "TokenRequest" };
const TEN_MINUTES = 600;
const LONGEST = 2 ** 32;
/** What kubelets ask for. Clients that never read their token again get a year instead, and are told of it. */
const PROJECTED = 3607;
const EXTENDED = 365 * 24 * 3600;

/** POST serviceaccounts/x/token: a token of the account, bound to an object if so asked. */
export function tokenRequest(tokens: AccountTokens): ActionSubresource["act"] {
  return async (request) => {
    const { namespace, name, body, context } = request;
    const given = metadataOf(body);
    if (given.name !== undefined && given.name !== name) {
      throw invalid(TYPE, name, [fieldError.invalid("metadata.name", given.name, "must match the service account name if specified")]);
    }
    const found = await tokens.objects.serviceAccount(namespace, name);
    if (found === undefined) throw notFound({ group: "", resource: "serviceaccounts" }, name);
    const account = referenceTo(found);
    const asked = body["spec"] as unknown as Spec;
    const audiences = asked.audiences?.length ? asked.audiences : tokens.audiences;
    checkExpiration(asked.expirationSeconds);
    const expirationSeconds = Math.min(asked.expirationSeconds, tokens.longest);
    const bound = await boundTo(tokens, request, asked.boundObjectRef ?? undefined);
    const extended =
      bound.pod !== undefined && expirationSeconds === PROJECTED && audiences.every((each) => tokens.audiences.includes(each));
    const token = tokens.issue({
      namespace,
      account,
      audiences,
      ...bound,
      seconds: extended ? EXTENDED : expirationSeconds,
      warnAfter: extended ? expirationSeconds : undefined,
    });
    const stamped = withMetadata(body, { name, namespace, uid: account.uid, creationTimestamp: timestamp(context.now) });
    const expirationTimestamp = timestamp(context.now + expirationSeconds * 1000);
    return { ...stamped, spec: { ...(body["spec"] as JsonObject), audiences, expirationSeconds }, status: { token, expirationTimestamp } };
  };
}

function checkExpiration(seconds: number): void {
  const wrong = (why: string) => invalid(TYPE, "", [fieldError.invalid("spec.expirationSeconds", seconds, why)]);
  if (seconds < TEN_MINUTES) throw wrong("may not specify a duration less than 10 minutes");
  if (seconds > LONGEST) throw wrong("may not specify a duration larger than 2^32 seconds");
}

type Bound = Pick<TokenFacts, "pod" | "secret" | "node">;

async function boundTo({ objects }: AccountTokens, request: ActionRequest, ref: BoundObjectRef | undefined): Promise<Bound> {
  if (ref === undefined) return {};
  const { namespace, name: account } = request;
  const { apiVersion = "", kind = "", name = "", uid = "" } = ref;
  const there = (object: JsonObject | undefined, resource: string): JsonObject => {
    if (object === undefined) throw notFound({ group: "", resource }, name);
    const actual = metadataOf(object).uid;
    if (uid !== "" && uid !== actual) {
      const why = `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`;
      throw conflict({ group: "", resource: kind }, name, why);
    }
    return object;
  };
  switch (apiVersion.includes("/") ? "" : kind) {
    case "Pod": {
      const pod = await objects.pod(namespace, name);
      const { serviceAccountName, nodeName } = (pod?.["spec"] ?? {}) as { serviceAccountName?: string; nodeName?: string };
      if (pod !== undefined && serviceAccountName !== account) {
        throw badRequest(`cannot bind token for serviceaccount "${account}" to pod running with different serviceaccount name.`);
      }
      const node = nodeName ? ((await objects.node(nodeName)) ?? { metadata: { name: nodeName } }) : undefined;
      return { pod: referenceTo(there(pod, "pods")), ...(node === undefined ? {} : { node: referenceTo(node) }) };
    }
    case "Node":
      return { node: referenceTo(there(await objects.node(name), "nodes")) };
    case "Secret":
      return { secret: referenceTo(there(await objects.secret(namespace, name), "secrets")) };
    default:
      throw badRequest(`cannot bind token to object of type ${apiVersion.includes("/") ? apiVersion : `/${apiVersion}`}, Kind=${kind}`);
  }
}

function referenceTo(object: JsonObject): Reference {
  const { name, uid } = metadataOf(object);
  return { name, uid } as Reference;
}
