import { FLAGS } from "../generated/etcd-flags.ts";

/** Returns the output of `etcd --help`. */
export function formatEtcdHelp(): string {
  return [
    "Usage:",
    "",
    "  etcd [flags]",
    "    The drop-in of @pintle/cluster: keeps the objects of its kube-apiserver in memory.",
    "",
    "  etcd --version",
    "  etcd -h | --help",
    "",
    "Flags (only the client URLs, the client certificates and their keys have an effect):",
    ...FLAGS.map(([name, type, fallback]) => `  --${name}${fallback === undefined && type === "bool" ? "" : ` '${fallback ?? ""}'`}`),
    "",
  ].join("\n");
}
