import type { TLSSocket } from "node:tls";
import { ApiError } from "../../status/index.ts";
import { ANONYMOUS, AUTHENTICATED, type UserInfo } from "../user.ts";

/** Bearer tokens and whom they stand for. */
export interface TokenAuthenticator {
  /** Undefined: nobody's token. */
  authenticate(token: string): Promise<UserInfo | undefined>;
}

/** Whose certificate a client showed; "untrusted" when nobody we trust signed it; undefined when it showed none. */
export type Certified = UserInfo | "untrusted" | undefined;

/**
 * Who asks: by client certificate, else by bearer token, else nobody in particular. Throws 401 for a token of nobody, and
 * for a certificate of nobody without a good token.
 */
export async function authenticate(certified: Certified, authorization: string | undefined, tokens: TokenAuthenticator): Promise<UserInfo> {
  if (certified !== undefined && certified !== "untrusted") return certified;
  const token = /^bearer ([^ ]+)/i.exec(authorization ?? "")?.[1];
  if (token === undefined && certified === undefined) return ANONYMOUS;
  const user = token === undefined ? undefined : await tokens.authenticate(token);
  if (user === undefined) throw new ApiError(401, "Unauthorized", "Unauthorized");
  return user.groups.includes(AUTHENTICATED) ? user : { ...user, groups: [...user.groups, AUTHENTICATED] };
}

/** The user a client certificate stands for: common name and organizations. */
export function certifiedUser(socket: Pick<TLSSocket, "authorized" | "getPeerCertificate">): Certified {
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
