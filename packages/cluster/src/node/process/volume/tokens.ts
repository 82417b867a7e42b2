import type { Client } from "pintle/client";
import { type Pod, ServiceAccount } from "pintle/kinds/core/v1";
import type { Clock } from "pintle/queue";

export interface TokenWish {
  readonly audience?: string | undefined;
  readonly expirationSeconds?: number | undefined;
}

/** Tokens of pods, each for one pod only. */
export interface Tokens {
  /** The one it has, or another when four fifths of its time are over. */
  of(pod: Pod, wish: TokenWish): Promise<string>;
  forget(uid: string): void;
}

const HOUR = 3600;

export function tokens(client: Client, clock: Clock): Tokens {
  const known = new Map<string, Map<string, { readonly token: string; readonly renewAt: number }>>();
  return {
    async of(pod, { audience, expirationSeconds = HOUR }) {
      const { name, namespace, uid } = pod.metadata;
      const own = known.get(uid) ?? new Map<string, { readonly token: string; readonly renewAt: number }>();
      known.set(uid, own);
      const key = `${audience ?? ""} ${expirationSeconds}`;
      const before = own.get(key);
      const now = clock.now();
      if (before !== undefined && now < before.renewAt) return before.token;
      const account = { namespace, name: pod.spec.serviceAccountName ?? "default" };
      const { token, expirationTimestamp } = await client.token(ServiceAccount, account, {
        expirationSeconds,
        ...(audience === undefined ? {} : { audiences: [audience] }),
        boundTo: { apiVersion: "v1", kind: "Pod", name, uid },
      });
      own.set(key, { token, renewAt: now + 0.8 * (Date.parse(expirationTimestamp) - now) });
      return token;
    },
    forget: (uid) => void known.delete(uid),
  };
}
