import type { FlagTable } from "./flags.ts";
import { FLAGS } from "./generated/kube-apiserver-flags.ts";
import { HONOURED } from "./server-settings.ts";

/** What `kube-apiserver --help` prints: in the form that envtest looks for flags in. */
export function serverHelp(): string {
  const honoured = FLAGS.filter(([name]) => HONOURED.has(name));
  const others = FLAGS.filter(([name]) => !HONOURED.has(name));
  return [
    "The API server of @pintle/cluster in place of kube-apiserver: for envtest suites and scripts.",
    "No controllers, no nodes. Objects are kept in the etcd that --etcd-servers names.",
    "",
    "Usage:",
    "  kube-apiserver [flags]",
    "",
    "Flags that are honoured:",
    "",
    ...honoured.map(serverLine),
    "  -h, --help",
    "",
    "Flags that are accepted and change nothing:",
    "",
    ...others.map(serverLine),
    "",
  ].join("\n");
}

function serverLine([name, type, fallback]: FlagTable[number]): string {
  const value = type === "bool" ? "" : type === "version" ? " version[=true]" : ` ${type}`;
  const letter = name === "v" ? "  -v, " : "      ";
  return `${letter}--${name}${value}${fallback === undefined ? "" : `   (default ${type === "string" ? JSON.stringify(fallback) : fallback})`}`;
}
