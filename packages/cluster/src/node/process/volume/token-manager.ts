import type { Client } from "pintle/client";
import type { Clock } from "pintle/internal/clock";
import { type Pod, ServiceAccount } from "pintle/kinds/core/v1";

export interface TokenRequest {
  readonly audience?: string | undefined;
  readonly expirationSeconds?: number | undefined;
}

/** Manages the bound service account tokens of pods. */
export interface TokenManager {
  /** Returns the current token, or a new one after four fifths of its lifetime. */
  getToken(pod: Pod, request: TokenRequest): Promise<string>;
  deletePod(uid: string): void;
}

const HOUR = 3600;

export function createTokenManager(client: Client, clock: Clock): TokenManager {
  const tokensByPod = new Map<string, Map<string, { readonly token: string; readonly renewAt: number }>>();
  return {
    async getToken(pod, { audience, expirationSeconds = HOUR }) {
      const { name, namespace, uid } = pod.metadata;
      const podTokens = tokensByPod.get(uid) ?? new Map<string, { readonly token: string; readonly renewAt: number }>();
      tokensByPod.set(uid, podTokens);
      const key = `${audience ?? ""} ${expirationSeconds}`;
      const before = podTokens.get(key);
      const now = clock.now();
      if (before !== undefined && now < before.renewAt) return before.token;
      const account = { namespace, name: pod.spec.serviceAccountName ?? "default" };
      const { token, expirationTimestamp } = await client.createToken(ServiceAccount, account, {
        expirationSeconds,
        ...(audience === undefined ? {} : { audiences: [audience] }),
        boundTo: { apiVersion: "v1", kind: "Pod", name, uid },
      });
      podTokens.set(key, { token, renewAt: now + 0.8 * (Date.parse(expirationTimestamp) - now) });
      return token;
    },
    deletePod: (uid) => void tokensByPod.delete(uid),
  };
}
