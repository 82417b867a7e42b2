import type { Client } from "pintle/client";
import { type Cache, createCache } from "pintle/internal/cache";
import type { Clock, Random } from "pintle/internal/clock";
import { Secret, ServiceAccount } from "pintle/kinds/core/v1";
import { findRegistryLogin, type RegistryLogin } from "../image/index.ts";

/** The Secrets with logins for registries, watched: the global one, and those of the ServiceAccount of the pod. */
export interface PullLogins {
  /** Finds the login for a registry; without one in a Secret, what `docker login` stored. */
  readonly find: (registry: string) => RegistryLogin | undefined;
  close(): Promise<void>;
}

/** What logins are read with. */
export interface PullLoginOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly namespace: string;
  /** The ServiceAccount of the pod; undefined outside of one. */
  readonly serviceAccount: string | undefined;
  readonly globalPullSecret: { readonly namespace: string; readonly name: string } | undefined;
}

type Auths = Readonly<Record<string, { readonly auth?: string; readonly username?: string; readonly password?: string }>>;

/** Begins to watch the Secrets, and resolves when they are read. */
export async function watchPullLogins(options: PullLoginOptions): Promise<PullLogins> {
  const { client, clock, random, namespace, serviceAccount, globalPullSecret } = options;
  const cache: Cache = createCache({ client, clock, random });
  const byName = (name: string) => `metadata.name=${name}`;
  const accounts =
    serviceAccount === undefined ? undefined : cache.watch(ServiceAccount, { namespaces: [namespace], fields: byName(serviceAccount) });
  const own = cache.watch(Secret, { namespaces: [namespace], fields: "type=kubernetes.io/dockerconfigjson" });
  const global =
    globalPullSecret === undefined
      ? undefined
      : cache.watch(Secret, { namespaces: [globalPullSecret.namespace], fields: byName(globalPullSecret.name) });
  await Promise.all([accounts, own, global].map((view) => view?.waitForSync()));
  const list = (): readonly Secret[] => {
    const named = accounts?.list().flatMap(({ imagePullSecrets = [] }) => imagePullSecrets.map(({ name }) => name)) ?? [];
    return [...(global?.list() ?? []), ...named.flatMap((name) => own.get({ namespace, name: name ?? "" }) ?? [])];
  };
  return {
    find(registry) {
      for (const secret of list()) {
        const login = findLogin(readAuths(secret), registry);
        if (login !== undefined) return login;
      }
      return findRegistryLogin(registry);
    },
    close: () => cache.stop(),
  };
}

/** The logins of a Secret. One that cannot be read has none: it is the user's, and others may be right. */
function readAuths({ data = {} }: Secret): Auths {
  const config = data[".dockerconfigjson"];
  const legacy = data[".dockercfg"];
  try {
    const parsed = JSON.parse(Buffer.from(config ?? legacy ?? "", "base64").toString()) as { readonly auths?: Auths };
    return (config === undefined ? (parsed as Auths) : parsed.auths) ?? {};
  } catch {
    return {};
  }
}

function findLogin(auths: Auths, registry: string): RegistryLogin | undefined {
  const names = registry === "docker.io" ? ["https://index.docker.io/v1/", "docker.io"] : [registry, `https://${registry}`];
  const entry = names.map((name) => auths[name]).find((each) => each !== undefined);
  if (entry === undefined) return undefined;
  if (entry.username !== undefined && entry.password !== undefined) return { username: entry.username, password: entry.password };
  const [username, ...password] = Buffer.from(entry.auth ?? "", "base64")
    .toString()
    .split(":");
  return username === undefined || password.length === 0 ? undefined : { username, password: password.join(":") };
}
