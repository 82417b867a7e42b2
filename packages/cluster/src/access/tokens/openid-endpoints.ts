import type { ApiResponse } from "../../api/index.ts";
import type { ServiceAccountTokens } from "./service-account-tokens.ts";

const CONFIGURATION = "/.well-known/openid-configuration";
const KEYS = "/openid/v1/jwks";

/** Creates the OpenID discovery endpoints with which others verify service account tokens. `address` returns the server's address. */
export function createOpenIdEndpoints(tokens: ServiceAccountTokens, address: () => string): Readonly<Record<string, () => ApiResponse>> {
  const configuration = () =>
    jsonResponse("application/json", {
      issuer: tokens.issuer,
      jwks_uri: `${address()}${KEYS}`,
      response_types_supported: ["id_token"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: [...new Set(tokens.getSigningKey().jwks.map(({ alg }) => alg))],
    });
  const keys = () => jsonResponse("application/jwk-set+json", { keys: tokens.getSigningKey().jwks });
  return { [CONFIGURATION]: configuration, [`${CONFIGURATION}/`]: configuration, [KEYS]: keys, [`${KEYS}/`]: keys };
}

function jsonResponse(type: string, value: object): ApiResponse {
  return {
    status: 200,
    headers: { "content-type": type, "cache-control": "public, max-age=3600" },
    body: { type: "bytes", bytes: Buffer.from(JSON.stringify(value)) },
  };
}
