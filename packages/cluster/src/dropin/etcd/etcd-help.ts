import { FLAGS } from "../generated/etcd-flags.ts";

/** What `etcd --help` prints. */
export function etcdHelp(): string {
  return [
    "Usage:",
    "",
    "  etcd [flags]",
    "    The drop-in of @pintle/cluster: holds the objects of the kube-apiserver beside it in memory while it runs.",
    "",
    "  etcd --version",
    "  etcd -h | --help",
    "",
    "Flags (of those, the client URLs, the client certificates and their keys are honoured):",
    ...FLAGS.map(([name, type, fallback]) => `  --${name}${fallback === undefined && type === "bool" ? "" : ` '${fallback ?? ""}'`}`),
    "",
  ].join("\n");
}
