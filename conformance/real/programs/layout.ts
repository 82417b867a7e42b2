import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { certificateAuthority, type KeyPair, signingKey } from "../certificates/certificates.ts";
import { buildKubeconfig } from "../certificates/kubeconfig.ts";

/** The file paths of one control plane, all below its folder. */
export interface Layout {
  readonly etcdData: string;
  readonly kwok: string;
  /** Configuration of the simulated kubelet for pods, and the log of all their containers. */
  readonly pods: { readonly config: string; readonly log: string };
  readonly authority: KeyPair;
  readonly server: KeyPair;
  /** The client certificate that the API server presents to kubelets. */
  readonly kubeletClient: KeyPair;
  readonly serviceAccounts: { readonly privateKey: string; readonly publicKey: string };
  readonly kubeconfigs: {
    readonly admin: string;
    readonly controllerManager: string;
    readonly scheduler: string;
  };
}

/** Credentials of our own requests to the server: PEM texts, not paths. */
export interface Admin {
  readonly authority: string;
  readonly user: KeyPair;
}

export function createLayout(folder: string): Layout {
  const pki = (name: string) => join(folder, "pki", name);
  const pair = (name: string) => ({ certificate: pki(`${name}.crt`), key: pki(`${name}.key`) });
  return {
    etcdData: join(folder, "etcd"),
    kwok: join(folder, "kwok"),
    pods: { config: join(folder, "pods.yaml"), log: join(folder, "pods.log") },
    authority: pair("ca"),
    server: pair("apiserver"),
    kubeletClient: pair("apiserver-kubelet-client"),
    serviceAccounts: { privateKey: pki("sa.key"), publicKey: pki("sa.pub") },
    kubeconfigs: {
      admin: join(folder, "kubeconfig"),
      controllerManager: join(folder, "controller-manager.kubeconfig"),
      scheduler: join(folder, "scheduler.kubeconfig"),
    },
  };
}

/** Writes the keys, certificates and kubeconfigs of a control plane that will serve at `server`. */
export async function writeCredentials(folder: string, files: Layout, server: string): Promise<Admin> {
  const authority = certificateAuthority("pintle real control plane");
  const tokens = signingKey();
  const admin = authority.client({ commonName: "kubernetes-admin", organization: "system:masters" });
  const client = (commonName: string) => buildKubeconfig(server, authority.certificate, authority.client({ commonName }));

  await mkdir(join(folder, "pki"));
  await writePair(files.authority, authority);
  await writePair(files.server, authority.server({ commonName: "kube-apiserver" }, serverNames));
  const asking = { commonName: "kube-apiserver-kubelet-client", organization: "system:masters" };
  await writePair(files.kubeletClient, authority.client(asking));
  await writeSecret(files.serviceAccounts.privateKey, tokens.privateKey);
  await writeSecret(files.serviceAccounts.publicKey, tokens.publicKey);
  await writeSecret(files.kubeconfigs.admin, buildKubeconfig(server, authority.certificate, admin));
  await writeSecret(files.kubeconfigs.controllerManager, client("system:kube-controller-manager"));
  await writeSecret(files.kubeconfigs.scheduler, client("system:kube-scheduler"));
  return { authority: authority.certificate, user: admin };
}

const serverNames = [
  "127.0.0.1",
  "10.96.0.1", // the kubernetes Service: the first address of the service range
  "localhost",
  "kubernetes",
  "kubernetes.default",
  "kubernetes.default.svc",
  "kubernetes.default.svc.cluster.local",
];

async function writePair(paths: KeyPair, pair: KeyPair): Promise<void> {
  await writeSecret(paths.certificate, pair.certificate);
  await writeSecret(paths.key, pair.key);
}

async function writeSecret(path: string, content: string): Promise<void> {
  await writeFile(path, content, { mode: 0o600 });
}
