import path from "node:path";
import type { Pod } from "pintle/kinds/core/v1";
import type { Driver } from "../runtime/driver.ts";
import { hostname } from "../runtime/loopback.ts";
import { type Mount, ownFile } from "./volumes.ts";

/** What a kubelet writes for every pod: its hosts and where names are asked for. Only pods with a file system of their own see them. */
export async function etcFiles(pod: Pod, address: string, folder: string, driver: Driver): Promise<readonly Mount[]> {
  if (driver.mode === "loopback") return [];
  const { subdomain, hostAliases = [] } = pod.spec;
  const { namespace } = pod.metadata;
  const own = hostname(pod);
  const full = subdomain === undefined ? own : `${own}.${subdomain}.${namespace}.svc.cluster.local\t${own}`;
  const hosts = [
    "# Kubernetes-managed hosts file.",
    "127.0.0.1\tlocalhost",
    "::1\tlocalhost ip6-localhost ip6-loopback",
    `${address}\t${full}`,
    ...hostAliases.map(({ ip, hostnames = [] }) => `${ip}\t${hostnames.join("\t")}`),
  ];
  return [
    await ownFile(folder, "/etc/hosts", `${hosts.join("\n")}\n`),
    await ownFile(folder, "/etc/hostname", `${own}\n`),
    await ownFile(folder, "/etc/resolv.conf", resolvConf(pod, driver)),
  ].map((mount) => ({ ...mount, source: path.resolve(mount.source) }));
}

function resolvConf({ metadata, spec }: Pod, { hostAddress }: Driver): string {
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
