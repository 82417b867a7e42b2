import type { JsonObject } from "pintle/kinds";
import { type ActionRequest, type ActionSubresource, formatTimestamp, getMetadata, withMetadata } from "../../api/index.ts";
import { badRequest, conflict, fieldError, invalid, notFound } from "../../status/index.ts";
import type { BoundObjectReference } from "./claims.ts";
import type { ServiceAccountTokens, TokenAttributes } from "./service-account-tokens.ts";

interface TokenRequestSpec {
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

const TOKEN_REQUEST = { group: "authentication.k8s.io", resource: "TokenRequest" };
const MIN_EXPIRATION_SECONDS = 600;
const MAX_EXPIRATION_SECONDS = 2 ** 32;
/**
 * Lifetime that kubelets request. As in upstream, such a token is valid for a year, for clients that do not reload it, and marked as
 * stale after the requested time.
 */
const PROJECTED_TOKEN_SECONDS = 3607;
const EXTENDED_TOKEN_SECONDS = 365 * 24 * 3600;

/** Creates the handler of POST serviceaccounts/x/token, which issues a token, optionally bound to an object. */
export function createTokenRequestHandler(tokens: ServiceAccountTokens): ActionSubresource["execute"] {
  return async (request) => {
    const { namespace, name, body, context } = request;
    const metadata = getMetadata(body);
    if (metadata.name !== undefined && metadata.name !== name) {
      throw invalid(TOKEN_REQUEST, name, [
        fieldError.invalid("metadata.name", metadata.name, "must match the service account name if specified"),
      ]);
    }
    const found = await tokens.objects.serviceAccount(namespace, name);
    if (found === undefined) throw notFound({ group: "", resource: "serviceaccounts" }, name);
    const account = toReference(found);
    const spec = body["spec"] as unknown as TokenRequestSpec;
    const audiences = spec.audiences?.length ? spec.audiences : tokens.audiences;
    checkExpiration(spec.expirationSeconds);
    const expirationSeconds = Math.min(spec.expirationSeconds, tokens.maxExpirationSeconds);
    const bound = await resolveBoundObject(tokens, request, spec.boundObjectRef ?? undefined);
    const extended =
      bound.pod !== undefined &&
      expirationSeconds === PROJECTED_TOKEN_SECONDS &&
      audiences.every((each) => tokens.audiences.includes(each));
    const token = tokens.issue({
      namespace,
      account,
      audiences,
      ...bound,
      seconds: extended ? EXTENDED_TOKEN_SECONDS : expirationSeconds,
      warnAfter: extended ? expirationSeconds : undefined,
    });
    const { jti } = tokens.getSigningKey().parse(token)?.claims ?? {};
    request.addAuditAnnotation("authentication.kubernetes.io/issued-credential-id", `JTI=${String(jti)}`);
    const stamped = withMetadata(body, { name, namespace, uid: account.uid, creationTimestamp: formatTimestamp(context.now) });
    const expirationTimestamp = formatTimestamp(context.now + expirationSeconds * 1000);
    return { ...stamped, spec: { ...(body["spec"] as JsonObject), audiences, expirationSeconds }, status: { token, expirationTimestamp } };
  };
}

function checkExpiration(seconds: number): void {
  const invalidExpiration = (why: string) => invalid(TOKEN_REQUEST, "", [fieldError.invalid("spec.expirationSeconds", seconds, why)]);
  if (seconds < MIN_EXPIRATION_SECONDS) throw invalidExpiration("may not specify a duration less than 10 minutes");
  if (seconds > MAX_EXPIRATION_SECONDS) throw invalidExpiration("may not specify a duration larger than 2^32 seconds");
}

type BoundAttributes = Pick<TokenAttributes, "pod" | "secret" | "node">;

async function resolveBoundObject(
  { objects }: ServiceAccountTokens,
  request: ActionRequest,
  ref: BoundObjectRef | undefined,
): Promise<BoundAttributes> {
  if (ref === undefined) return {};
  const { namespace, name: account } = request;
  const { apiVersion = "", kind = "", name = "", uid = "" } = ref;
  const checkBoundObject = (object: JsonObject | undefined, resource: string): JsonObject => {
    if (object === undefined) throw notFound({ group: "", resource }, name);
    const actual = getMetadata(object).uid;
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
      return { pod: toReference(checkBoundObject(pod, "pods")), ...(node === undefined ? {} : { node: toReference(node) }) };
    }
    case "Node":
      return { node: toReference(checkBoundObject(await objects.node(name), "nodes")) };
    case "Secret":
      return { secret: toReference(checkBoundObject(await objects.secret(namespace, name), "secrets")) };
    default:
      throw badRequest(`cannot bind token to object of type ${apiVersion.includes("/") ? apiVersion : `/${apiVersion}`}, Kind=${kind}`);
  }
}

function toReference(object: JsonObject): BoundObjectReference {
  const { name, uid } = getMetadata(object);
  return { name, uid } as BoundObjectReference;
}
