import path from "node:path";
import type { Pod } from "pintle/kinds/core/v1";
import type { IsolationDriver } from "../runtime/isolation-driver.ts";
import { getHostname } from "../runtime/loopback-driver.ts";
import { type ResolvedMount, writeHostFile } from "./volume-manager.ts";

/**
 * Writes the files that the kubelet manages for every pod: hosts, hostname and resolv.conf. Only pods with a root of their own see them.
 */
export async function writeHostFiles(
  pod: Pod,
  address: string,
  folder: string,
  driver: IsolationDriver,
): Promise<readonly ResolvedMount[]> {
  if (driver.mode === "loopback") return [];
  const { subdomain, hostAliases = [] } = pod.spec;
  const { namespace } = pod.metadata;
  const hostname = getHostname(pod);
  const fullName = subdomain === undefined ? hostname : `${hostname}.${subdomain}.${namespace}.svc.cluster.local\t${hostname}`;
  const hosts = [
    "# Kubernetes-managed hosts file.",
    "127.0.0.1\tlocalhost",
    "::1\tlocalhost ip6-localhost ip6-loopback",
    `${address}\t${fullName}`,
    ...hostAliases.map(({ ip, hostnames = [] }) => `${ip}\t${hostnames.join("\t")}`),
  ];
  return [
    await writeHostFile(folder, "/etc/hosts", `${hosts.join("\n")}\n`),
    await writeHostFile(folder, "/etc/hostname", `${hostname}\n`),
    await writeHostFile(folder, "/etc/resolv.conf", buildResolvConf(pod, driver)),
  ].map((mount) => ({ ...mount, source: path.resolve(mount.source) }));
}

function buildResolvConf({ metadata, spec }: Pod, { hostAddress }: IsolationDriver): string {
  const { nameservers = [], searches = [], options = [] } = spec.dnsConfig ?? {};
  const isOwn = spec.dnsPolicy === "None";
  const domains = isOwn ? searches : [`${metadata.namespace}.svc.cluster.local`, "svc.cluster.local", "cluster.local", ...searches];
  const flags = [...(isOwn ? [] : ["ndots:5"]), ...options.map(({ name, value }) => (value === undefined ? name : `${name}:${value}`))];
  return [
    ...(domains.length > 0 ? [`search ${domains.join(" ")}`] : []),
    ...(isOwn ? nameservers : [hostAddress, ...nameservers]).map((address) => `nameserver ${address}`),
    ...(flags.length > 0 ? [`options ${flags.join(" ")}`] : []),
    "",
  ].join("\n");
}
