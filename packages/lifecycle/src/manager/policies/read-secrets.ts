import type { Client } from "pintle/client";
import { Secret } from "pintle/kinds/core/v1";
import type { ReadSecret } from "../object-sets/resolve-phases.ts";

/** Reads Secrets with objects from the API server. */
export function readSecrets(client: Client): ReadSecret {
  return (ref) => client.find(Secret, ref);
}
