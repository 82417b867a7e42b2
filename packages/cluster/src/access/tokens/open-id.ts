import type { ApiAnswer } from "../../api/index.ts";
import type { AccountTokens } from "./account-tokens.ts";

const CONFIGURATION = "/.well-known/openid-configuration";
const KEYS = "/openid/v1/jwks";

/** The pages by which others can check the tokens of service accounts. `address` is where the server is reached. */
export function openIdPages(tokens: AccountTokens, address: () => string): Readonly<Record<string, () => ApiAnswer>> {
  const configuration = () =>
    page("application/json", {
      issuer: tokens.issuer,
      jwks_uri: `${address()}${KEYS}`,
      response_types_supported: ["id_token"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: [...new Set(tokens.key().jwks.map(({ alg }) => alg))],
    });
  const keys = () => page("application/jwk-set+json", { keys: tokens.key().jwks });
  return { [CONFIGURATION]: configuration, [`${CONFIGURATION}/`]: configuration, [KEYS]: keys, [`${KEYS}/`]: keys };
}

function page(type: string, value: object): ApiAnswer {
  return {
    status: 200,
    headers: { "content-type": type, "cache-control": "public, max-age=3600" },
    body: { type: "bytes", bytes: Buffer.from(JSON.stringify(value)) },
  };
}
