import type { TLSSocket } from "node:tls";
import { ApiError } from "../../status/index.ts";
import { ANONYMOUS, AUTHENTICATED, type UserInfo } from "../request/user.ts";

/** Authenticates bearer tokens. */
export interface TokenAuthenticator {
  /** Returns undefined for an unknown token. */
  authenticate(token: string): Promise<UserInfo | undefined>;
}

/** The user of the client certificate; "untrusted" for a certificate of another authority; undefined without one. */
export type CertificateUser = UserInfo | "untrusted" | undefined;

/**
 * Authenticates by client certificate, else by bearer token, else as the anonymous user. Throws 401 for an unknown token, and
 * for an untrusted certificate without a valid token.
 */
export async function authenticateCredentials(
  certified: CertificateUser,
  authorization: string | undefined,
  tokens: TokenAuthenticator,
): Promise<UserInfo> {
  if (certified !== undefined && certified !== "untrusted") return certified;
  const token = /^bearer ([^ ]+)/i.exec(authorization ?? "")?.[1];
  if (token === undefined && certified === undefined) return ANONYMOUS;
  const user = token === undefined ? undefined : await tokens.authenticate(token);
  if (user === undefined) throw new ApiError(401, "Unauthorized", "Unauthorized");
  return user.groups.includes(AUTHENTICATED) ? user : { ...user, groups: [...user.groups, AUTHENTICATED] };
}

/** Returns the user that a client certificate names: common name and organizations. */
export function getCertificateUser(socket: Pick<TLSSocket, "authorized" | "getPeerCertificate">): CertificateUser {
  const { subject, fingerprint256 } = socket.getPeerCertificate();
  if (!socket.authorized) return subject === undefined ? undefined : "untrusted";
  const name = first(subject?.CN);
  if (name === undefined) return undefined;
  const organizations = subject.O === undefined ? [] : [subject.O].flat();
  const id = `X509SHA256=${fingerprint256.replaceAll(":", "").toLowerCase()}`;
  return { name, groups: [...organizations, AUTHENTICATED], extra: { "authentication.kubernetes.io/credential-id": [id] } };
}

function first(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
