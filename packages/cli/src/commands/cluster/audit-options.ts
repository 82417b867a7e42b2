import path from "node:path";
import type { AuditOptions } from "@pintle/cluster";
import { CommandError, type ParsedArguments } from "../../command/index.ts";

/** Parses the --audit-* flags of `cluster up`, which are named as those of kube-apiserver. */
export function parseAuditOptions(values: ParsedArguments["values"], cwd: string): AuditOptions | undefined {
  const [log, policy, webhook] = [values["audit-log-path"], values["audit-policy-file"], values["audit-webhook-config-file"]];
  const given = Object.keys(values).find((flag) => flag.startsWith("audit-"));
  if (given === undefined) return undefined;
  // kube-apiserver records nothing with one of the two.
  if (log === undefined && webhook === undefined) throw usageError(`--${given} requires --audit-log-path or --audit-webhook-config-file`);
  if (policy === undefined) throw usageError(`--${given} requires --audit-policy-file`);
  return {
    ...(log === undefined ? {} : { path: log === "-" ? "-" : path.resolve(cwd, String(log)) }),
    ...(webhook === undefined ? {} : { webhook: { config: path.resolve(cwd, String(webhook)) } }),
    policy: path.resolve(cwd, String(policy)),
    maxSize: parseLimit(values, "audit-log-maxsize"),
    maxBackups: parseLimit(values, "audit-log-maxbackup"),
    maxAge: parseLimit(values, "audit-log-maxage"),
    compress: values["audit-log-compress"] === true,
  };
}

function parseLimit(values: ParsedArguments["values"], flag: string): number | undefined {
  const text = values[flag];
  if (text === undefined) return undefined;
  const limit = Number(text);
  if (!Number.isInteger(limit) || limit < 0) throw usageError(`invalid --${flag} "${text}": must be a whole number, 0 or more`);
  return limit;
}

function usageError(what: string): CommandError {
  return new CommandError("PINTLE7005", `${what}. See 'pintle cluster up --help'`, 2);
}
