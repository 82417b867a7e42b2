import type { Pod, ServiceAccount } from "pintle/kinds/core/v1";
import type { Clock, Random } from "pintle/queue";
import { type AdmissionPlugin, generateName } from "../../api/index.ts";
import type { Store } from "../../store/index.ts";
import type { Draft, Loose } from "../draft.ts";
import { storagePrefix } from "../facts.ts";
import { pluginFor, refusal, storedOne } from "./plugin.ts";

const MIRROR = "kubernetes.io/config.mirror";
const PREFIX = "kube-api-access-";
const PATH = "/var/run/secrets/kubernetes.io/serviceaccount";
/** Longer than an hour, for clients that do not read their token again. */
const TOKEN_SECONDS = 3607;
/** How long a pod waits for the account that a controller makes with its namespace. */
const PATIENCE_MS = 1000;

interface Surroundings {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
}

/** Every pod runs as an account of its namespace, and has its token mounted. */
export function serviceAccount({ store, clock, random }: Surroundings): AdmissionPlugin {
  const accountAt = (path: string) => storedOne<ServiceAccount>(store, "", "serviceaccounts", path);

  return pluginFor<Pod>("ServiceAccount", {
    group: "",
    plural: "pods",
    on: ["CREATE"],
    async change(draft, request) {
      draft.spec ??= {};
      const { spec } = draft;
      if (draft.metadata?.annotations?.[MIRROR] !== undefined) return;
      spec.serviceAccountName ||= "default";
      const path = `${request.namespace}/${spec.serviceAccountName}`;
      // The default one comes with its namespace, but a moment later.
      const account = spec.serviceAccountName === "default" ? await appears(path) : await accountAt(path);
      if (account === undefined) {
        throw refusal(request, `error looking up service account ${path}: serviceaccount "${spec.serviceAccountName}" not found`);
      }
      if (spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true) mount(spec, random);
      const secrets = account.imagePullSecrets ?? [];
      if (!spec.imagePullSecrets?.length && secrets.length > 0) spec.imagePullSecrets = secrets.map(({ name }) => ({ name: name ?? "" }));
    },
    check({ metadata, spec }, request) {
      if (metadata?.annotations?.[MIRROR] === undefined) return;
      if (spec?.serviceAccountName) throw refusal(request, "a mirror pod may not reference service accounts");
    },
  });

  /** The account once it is there, if that is soon. */
  async function appears(path: string): Promise<Loose<ServiceAccount> | undefined> {
    const key = `${storagePrefix("", "serviceaccounts")}/${path}`;
    let seen: (account: Loose<ServiceAccount> | undefined) => void = () => {};
    const seeing = new Promise<Loose<ServiceAccount> | undefined>((resolve) => {
      seen = resolve;
    });
    const after = store.currentRevision();
    const found = await accountAt(path);
    if (found !== undefined) return found;
    const unwatch = await store.watch(key.slice(0, key.lastIndexOf("/") + 1), after, (event) => {
      if (event.key === key && event.type === "put") seen(event.value as Loose<ServiceAccount>);
    });
    const timer = clock.setTimeout(() => seen(undefined), PATIENCE_MS);
    const account = await seeing;
    unwatch();
    clock.clearTimeout(timer);
    return account;
  }
}

type Spec = NonNullable<Draft<Pod>["spec"]>;

function mount(spec: Spec, random: Random): void {
  const own = spec.volumes?.find(({ name }) => name?.startsWith(PREFIX))?.name;
  const name = own ?? generateName(PREFIX, random);
  let mounted = false;
  for (const container of [...(spec.initContainers ?? []), ...(spec.containers ?? [])]) {
    if (container.volumeMounts?.some(({ mountPath }) => mountPath === PATH)) continue;
    container.volumeMounts = [...(container.volumeMounts ?? []), { name, readOnly: true, mountPath: PATH }];
    mounted = true;
  }
  if (mounted && own === undefined) spec.volumes = [...(spec.volumes ?? []), { name, projected: token() }];
}

function token() {
  return {
    sources: [
      { serviceAccountToken: { expirationSeconds: TOKEN_SECONDS, path: "token" } },
      { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
      { downwardAPI: { items: [{ path: "namespace", fieldRef: { apiVersion: "v1", fieldPath: "metadata.namespace" } }] } },
    ],
    defaultMode: 420,
  };
}
