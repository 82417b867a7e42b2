/** The command lines of the programs of a control plane: pure, no IO. */

import { join } from "node:path";
import { type Binaries, binary } from "./binaries.ts";
import type { Layout } from "./layout.ts";
import { recipes } from "./recipes.ts";
import type { Launch } from "./supervisor.ts";

export interface Endpoints {
  readonly etcd: string;
  readonly etcdPeer: string;
  readonly server: string;
  /** Where kwok plays the kubelet of every node. */
  readonly kubelet: string;
}

export interface ServerOptions {
  /** On top of the plugins that Kubernetes turns on by itself. */
  readonly enableAdmissionPlugins?: readonly string[];
  readonly disableAdmissionPlugins?: readonly string[];
  /** Anything else, as on the command line: `["--feature-gates=AllAlpha=true"]`. */
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
      // The data lives as long as the test: a power cut may have it.
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
      // Only written into the endpoints of the kubernetes Service, which may not be loopback: an
      // address for documentation, as nothing runs here that could go there.
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
      // The names of simulated nodes resolve nowhere.
      "--kubelet-preferred-address-types=InternalIP",
      `--kubelet-client-certificate=${files.kubeletClient.certificate}`,
      `--kubelet-client-key=${files.kubeletClient.key}`,
      // Close open watches on the way out; by default it waits for the clients to hang up.
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
      // By default it holds itself back to 20 requests a second, and takes five to start.
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

/** Plays the kubelet of every node: keeps it ready, says its pods are running, and serves their logs, exec and ports. */
export function kwok(from: Binaries, files: Layout, at: Endpoints): Launch {
  const { hostname, port, host } = new URL(at.kubelet);
  return {
    name: "kwok",
    command: binary("kwok", from),
    args: [
      `--kubeconfig=${files.kubeconfigs.admin}`,
      `--config=${join(from.folder, recipes.kwok.data.file)}`,
      `--config=${files.pods.config}`,
      "--manage-all-nodes=true",
      "--node-lease-duration-seconds=40",
      `--node-ip=${hostname}`,
      `--node-port=${port}`,
      `--server-address=${host}`,
      `--tls-cert-file=${files.server.certificate}`,
      `--tls-private-key-file=${files.server.key}`,
    ],
    // Without it kwok reads and makes ~/.kwok.
    env: { KWOK_WORKDIR: files.kwok },
  };
}

function listFlag(flag: string, values: readonly string[] | undefined): readonly string[] {
  return values === undefined || values.length === 0 ? [] : [`${flag}=${values.join(",")}`];
}
