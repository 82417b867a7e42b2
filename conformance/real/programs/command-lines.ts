/** The command lines of the programs of a control plane: pure functions, no IO. */

import { join } from "node:path";
import { type Binaries, binary } from "../binaries.ts";
import { KWOK_STAGES } from "../build/recipes.ts";
import type { Layout } from "./layout.ts";
import type { Launch } from "./supervisor.ts";

export interface Endpoints {
  readonly etcd: string;
  readonly etcdPeer: string;
  readonly server: string;
  /** Where kwok serves the kubelet API of every node. */
  readonly kubelet: string;
}

export interface ServerOptions {
  /** In addition to the plugins that Kubernetes enables by default. */
  readonly enableAdmissionPlugins?: readonly string[];
  readonly disableAdmissionPlugins?: readonly string[];
  /** Any other flags: `["--feature-gates=AllAlpha=true"]`. */
  readonly serverFlags?: readonly string[];
}

export function etcd(from: Binaries, files: Layout, at: Endpoints): Launch {
  return {
    name: "etcd",
    command: binary("etcd", from),
    args: [
      `--data-dir=${files.etcdData}`,
      `--listen-client-urls=${at.etcd}`,
      `--advertise-client-urls=${at.etcd}`,
      `--listen-peer-urls=${at.etcdPeer}`,
      `--initial-advertise-peer-urls=${at.etcdPeer}`,
      `--initial-cluster=default=${at.etcdPeer}`,
      // The data lives as long as the test, so fsync is not needed.
      "--unsafe-no-fsync",
    ],
  };
}

export function apiServer(from: Binaries, files: Layout, at: Endpoints, options: ServerOptions): Launch {
  return {
    name: "kube-apiserver",
    command: binary("kube-apiserver", from),
    args: [
      `--etcd-servers=${at.etcd}`,
      "--bind-address=127.0.0.1",
      // Only written into the endpoints of the kubernetes Service, which must not be loopback: an
      // address reserved for documentation, because no program here connects to it.
      "--advertise-address=192.0.2.1",
      `--secure-port=${new URL(at.server).port}`,
      `--tls-cert-file=${files.server.certificate}`,
      `--tls-private-key-file=${files.server.key}`,
      `--client-ca-file=${files.authority.certificate}`,
      `--service-account-key-file=${files.serviceAccounts.publicKey}`,
      `--service-account-signing-key-file=${files.serviceAccounts.privateKey}`,
      "--service-account-issuer=https://kubernetes.default.svc",
      "--service-cluster-ip-range=10.96.0.0/16",
      "--authorization-mode=Node,RBAC",
      "--allow-privileged=true",
      // The names of simulated nodes do not resolve.
      "--kubelet-preferred-address-types=InternalIP",
      `--kubelet-client-certificate=${files.kubeletClient.certificate}`,
      `--kubelet-client-key=${files.kubeletClient.key}`,
      // Close open watches on shutdown; by default the server waits for clients to disconnect.
      "--shutdown-watch-termination-grace-period=1s",
      ...listFlag("--enable-admission-plugins", options.enableAdmissionPlugins),
      ...listFlag("--disable-admission-plugins", options.disableAdmissionPlugins),
      ...(options.serverFlags ?? []),
    ],
  };
}

export function controllerManager(from: Binaries, files: Layout): Launch {
  return {
    name: "kube-controller-manager",
    command: binary("kube-controller-manager", from),
    args: [
      `--kubeconfig=${files.kubeconfigs.controllerManager}`,
      `--service-account-private-key-file=${files.serviceAccounts.privateKey}`,
      `--root-ca-file=${files.authority.certificate}`,
      `--cluster-signing-cert-file=${files.authority.certificate}`,
      `--cluster-signing-key-file=${files.authority.key}`,
      "--use-service-account-credentials=true",
      "--leader-elect=false",
      "--secure-port=0",
      // By default it limits itself to 20 requests per second, and takes five seconds to start.
      "--kube-api-qps=1000",
      "--kube-api-burst=1000",
    ],
  };
}

export function scheduler(from: Binaries, files: Layout): Launch {
  return {
    name: "kube-scheduler",
    command: binary("kube-scheduler", from),
    args: [`--kubeconfig=${files.kubeconfigs.scheduler}`, "--leader-elect=false", "--secure-port=0"],
  };
}

/** Simulates the kubelet of every node: keeps it ready, reports its pods as running, and serves their logs, exec and port-forward. */
export function kwok(from: Binaries, files: Layout, at: Endpoints): Launch {
  const { hostname, port, host } = new URL(at.kubelet);
  return {
    name: "kwok",
    command: binary("kwok", from),
    args: [
      `--kubeconfig=${files.kubeconfigs.admin}`,
      `--config=${join(from.folder, KWOK_STAGES)}`,
      `--config=${files.pods.config}`,
      "--manage-all-nodes=true",
      "--node-lease-duration-seconds=40",
      `--node-ip=${hostname}`,
      `--node-port=${port}`,
      `--server-address=${host}`,
      `--tls-cert-file=${files.server.certificate}`,
      `--tls-private-key-file=${files.server.key}`,
    ],
    // Without it kwok reads and creates ~/.kwok.
    env: { KWOK_WORKDIR: files.kwok },
  };
}

function listFlag(flag: string, values: readonly string[] | undefined): readonly string[] {
  return values === undefined || values.length === 0 ? [] : [`${flag}=${values.join(",")}`];
}
