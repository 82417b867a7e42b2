import type { Clock, Random } from "pintle/internal/clock";
import type { Pod, ServiceAccount } from "pintle/kinds/core/v1";
import { type AdmissionPlugin, generateName } from "../../api/index.ts";
import type { ObjectStore } from "../../store/index.ts";
import type { Draft, Unvalidated } from "../draft.ts";
import { getStoragePrefix } from "../kind-attributes.ts";
import { createForbiddenError, createResourcePlugin, getStored } from "./resource-plugin.ts";

const MIRROR_ANNOTATION = "kubernetes.io/config.mirror";
const TOKEN_VOLUME_PREFIX = "kube-api-access-";
const TOKEN_MOUNT_PATH = "/var/run/secrets/kubernetes.io/serviceaccount";
/** Slightly more than an hour, by which kube-apiserver recognizes tokens of clients that do not reload them. */
const TOKEN_EXPIRATION_SECONDS = 3607;
/** How long to wait for the default service account, which a controller creates after the namespace. */
const DEFAULT_ACCOUNT_TIMEOUT_MS = 1000;

interface ServiceAccountPluginDeps {
  readonly store: ObjectStore;
  readonly clock: Clock;
  readonly random: Random;
}

/** Sets the service account of pods, and mounts its token. */
export function createServiceAccountPlugin({ store, clock, random }: ServiceAccountPluginDeps): AdmissionPlugin {
  const getAccount = (path: string) => getStored<ServiceAccount>(store, "", "serviceaccounts", path);

  return createResourcePlugin<Pod>("ServiceAccount", {
    group: "",
    plural: "pods",
    operations: ["CREATE"],
    async mutate(draft, request) {
      draft.spec ??= {};
      const { spec } = draft;
      if (draft.metadata?.annotations?.[MIRROR_ANNOTATION] !== undefined) return;
      spec.serviceAccountName ||= "default";
      const path = `${request.namespace}/${spec.serviceAccountName}`;
      // A controller creates the default account shortly after the namespace.
      const account = spec.serviceAccountName === "default" ? await waitForAccount(path) : await getAccount(path);
      if (account === undefined) {
        throw createForbiddenError(
          request,
          `error looking up service account ${path}: serviceaccount "${spec.serviceAccountName}" not found`,
        );
      }
      if (spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true) mountToken(spec, random);
      const secrets = account.imagePullSecrets ?? [];
      if (!spec.imagePullSecrets?.length && secrets.length > 0) spec.imagePullSecrets = secrets.map(({ name }) => ({ name: name ?? "" }));
    },
    validate({ metadata, spec }, request) {
      if (metadata?.annotations?.[MIRROR_ANNOTATION] === undefined) return;
      if (spec?.serviceAccountName) throw createForbiddenError(request, "a mirror pod may not reference service accounts");
    },
  });

  /** Resolves with the account once it exists, or with undefined after the timeout. */
  async function waitForAccount(path: string): Promise<Unvalidated<ServiceAccount> | undefined> {
    const key = `${getStoragePrefix("", "serviceaccounts")}/${path}`;
    let seen: (account: Unvalidated<ServiceAccount> | undefined) => void = () => {};
    const seeing = new Promise<Unvalidated<ServiceAccount> | undefined>((resolve) => {
      seen = resolve;
    });
    const after = store.currentRevision();
    const found = await getAccount(path);
    if (found !== undefined) return found;
    const unwatch = await store.watch(key.slice(0, key.lastIndexOf("/") + 1), after, (event) => {
      if (event.key === key && event.type === "put") seen(event.value as Unvalidated<ServiceAccount>);
    });
    const timer = clock.setTimeout(() => seen(undefined), DEFAULT_ACCOUNT_TIMEOUT_MS);
    const account = await seeing;
    unwatch();
    clock.clearTimeout(timer);
    return account;
  }
}

type PodSpecDraft = NonNullable<Draft<Pod>["spec"]>;

function mountToken(spec: PodSpecDraft, random: Random): void {
  const own = spec.volumes?.find(({ name }) => name?.startsWith(TOKEN_VOLUME_PREFIX))?.name;
  const name = own ?? generateName(TOKEN_VOLUME_PREFIX, random);
  let mounted = false;
  for (const container of [...(spec.initContainers ?? []), ...(spec.containers ?? [])]) {
    if (container.volumeMounts?.some(({ mountPath }) => mountPath === TOKEN_MOUNT_PATH)) continue;
    container.volumeMounts = [...(container.volumeMounts ?? []), { name, readOnly: true, mountPath: TOKEN_MOUNT_PATH }];
    mounted = true;
  }
  if (mounted && own === undefined) spec.volumes = [...(spec.volumes ?? []), { name, projected: createTokenVolumeSource() }];
}

function createTokenVolumeSource() {
  return {
    sources: [
      { serviceAccountToken: { expirationSeconds: TOKEN_EXPIRATION_SECONDS, path: "token" } },
      { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
      { downwardAPI: { items: [{ path: "namespace", fieldRef: { apiVersion: "v1", fieldPath: "metadata.namespace" } }] } },
    ],
    defaultMode: 420,
  };
}
