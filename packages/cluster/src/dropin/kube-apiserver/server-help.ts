import { FLAGS } from "../generated/kube-apiserver-flags.ts";
import type { FlagTable } from "./flags.ts";
import { SUPPORTED_FLAGS } from "./server-settings.ts";

/** Flags that kube-apiserver does not have. */
export const DROPIN_FLAGS: FlagTable = [["version-info", "strings"]];

/** Returns the output of `kube-apiserver --help`, in the form that envtest searches for flags. */
export function formatServerHelp(): string {
  const honoured = FLAGS.filter(([name]) => SUPPORTED_FLAGS.has(name));
  const others = FLAGS.filter(([name]) => !SUPPORTED_FLAGS.has(name));
  return [
    "The embedded API server of @pintle/cluster as kube-apiserver, for envtest suites and scripts.",
    "It runs no controllers and no nodes. Objects are stored in the etcd of --etcd-servers.",
    "",
    "Usage:",
    "  kube-apiserver [flags]",
    "",
    "Supported flags:",
    "",
    ...honoured.map(formatFlag),
    "  -h, --help",
    "",
    "Flags of the drop-in only:",
    "",
    "      --version-info strings   fields of /version: gitVersion=v1.36.3,gitCommit=...,buildDate=...,goVersion=...",
    "",
    "Accepted flags without effect:",
    "",
    ...others.map(formatFlag),
    "",
  ].join("\n");
}

function formatFlag([name, type, fallback]: FlagTable[number]): string {
  const value = type === "bool" ? "" : type === "version" ? " version[=true]" : ` ${type}`;
  const letter = name === "v" ? "  -v, " : "      ";
  return `${letter}--${name}${value}${fallback === undefined ? "" : `   (default ${type === "string" ? JSON.stringify(fallback) : fallback})`}`;
}
