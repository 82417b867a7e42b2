import type { ClusterExtension } from "@pintle/lifecycle/manager";
import { NotFound } from "pintle/client";
import { CommandError, type ParsedArguments } from "../../command/index.ts";
import type { TargetCluster } from "../../target-cluster/index.ts";

/** The field manager of the fields that the commands write for the user. */
export const OPERATOR_FIELD_MANAGER = "pintle-operator";

/** Options of commands that wait. */
export const WAIT_OPTIONS = { timeout: { type: "string" }, "no-wait": { type: "boolean" } } as const;
export const WAIT_DESCRIPTIONS = {
  timeout: "how long to wait, such as 90s or 10m (default: 5m)",
  "no-wait": "do not wait until it has rolled out",
};

const DEFAULT_TIMEOUT_MS = 300_000;
const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };

/** Reads `--timeout` in milliseconds. */
export function readTimeout({ values }: Pick<ParsedArguments, "values">): number {
  const text = values["timeout"];
  if (text === undefined) return DEFAULT_TIMEOUT_MS;
  const [, count, unit] = /^(\d+)(s|m|h)$/.exec(String(text)) ?? [];
  if (count === undefined || Number(count) === 0)
    throw new CommandError("PINTLE7005", `invalid --timeout "${text}": must be a duration such as 90s, 10m or 1h`, 2);
  return Number(count) * UNITS[unit!]!;
}

/** The one positional argument of a command. */
export function requireArgument({ positionals }: ParsedArguments, what: string, command: string): string {
  const [name] = positionals;
  if (name !== undefined) return name;
  throw new CommandError("PINTLE7004", `missing ${what} argument, for example: pintle operator ${command}`, 2);
}

/** Reads an extension. Throws an error that says what to do if it does not exist, or the cluster has no lifecycle manager. */
export async function requireExtension(
  { client, description }: TargetCluster,
  name: string,
  signal: AbortSignal,
): Promise<ClusterExtension> {
  const { ClusterExtensionKind } = await import("@pintle/lifecycle/manager");
  try {
    return await client.get(ClusterExtensionKind, { name }, { signal });
  } catch (error) {
    if (!(error instanceof NotFound)) throw error;
    if (error.isUnservedKind) throw missingManager(description);
    throw new CommandError("PINTLE7103", `${description} has no extension "${name}". List them with 'pintle operator list'`);
  }
}

/** The error for a cluster without the CRDs of OLM v1. */
export function missingManager(description: string): CommandError {
  return new CommandError(
    "PINTLE7104",
    `${description} has no lifecycle manager: it does not serve ClusterExtension. Start a local one with 'pintle cluster up --olm', or install it with 'pintle operator setup'`,
  );
}

/** Formats rows as columns. */
export function formatTable(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, i) => Math.max(...rows.map((row) => row[i]!.length)));
  const lines = rows.map((row) => row.map((cell, i) => (i === row.length - 1 ? cell : cell.padEnd(widths[i]!))).join("   "));
  return `${lines.map((line) => line.trimEnd()).join("\n")}\n`;
}
