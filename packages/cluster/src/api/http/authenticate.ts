import type { TLSSocket } from "node:tls";
import { ApiError } from "../../status/index.ts";
import { ANONYMOUS, AUTHENTICATED, type UserInfo } from "../user.ts";

/** Bearer tokens and whom they stand for. */
export interface TokenAuthenticator {
  /** Undefined: nobody's token. */
  authenticate(token: string): Promise<UserInfo | undefined>;
}

/** Who asks: by client certificate, else by bearer token, else nobody in particular. Throws 401 for a token of nobody. */
export async function authenticate(
  certified: UserInfo | undefined,
  authorization: string | undefined,
  tokens: TokenAuthenticator,
): Promise<UserInfo> {
  if (certified !== undefined) return certified;
  const token = /^bearer +(\S+) *$/i.exec(authorization ?? "")?.[1];
  if (token === undefined) return ANONYMOUS;
  const user = await tokens.authenticate(token);
  if (user === undefined) throw new ApiError(401, "Unauthorized", "Unauthorized");
  return user.groups.includes(AUTHENTICATED) ? user : { ...user, groups: [...user.groups, AUTHENTICATED] };
}

/** The user a verified client certificate stands for: common name and organizations. */
export function certifiedUser(socket: Pick<TLSSocket, "authorized" | "getPeerCertificate">): UserInfo | undefined {
  if (!socket.authorized) return undefined;
  const { subject, fingerprint256 } = socket.getPeerCertificate();
  const name = first(subject?.CN);
  if (name === undefined) return undefined;
  const organizations = subject.O === undefined ? [] : [subject.O].flat();
  const id = `X509SHA256=${fingerprint256.replaceAll(":", "").toLowerCase()}`;
  return { name, groups: [...organizations, AUTHENTICATED], extra: { "authentication.kubernetes.io/credential-id": [id] } };
}

function first(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
