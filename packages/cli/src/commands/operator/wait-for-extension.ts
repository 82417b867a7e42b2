import type { ClusterExtension, Condition } from "@pintle/lifecycle/manager";
import { type Client, NotFound } from "pintle/client";
import { CommandError, type Io } from "../../command/index.ts";

/** The condition that a command waits for, and how the user resumes the wait. */
export interface ExtensionWait {
  readonly client: Client;
  readonly name: string;
  /** The generation that must have been reconciled. */
  readonly generation: number;
  readonly timeoutMs: number;
  /** The command that continues to wait. */
  readonly resume: string;
  /** Reports every change of a condition, with object and condition. */
  readonly onProgress: (line: string) => void;
}

const REPORTED = ["Installed", "Progressing", "Available"];

/**
 * Waits until an extension has the bundle that its spec requests, and reports progress. Rejects if the manager has given up, after the timeout, and when
 * the user interrupts; nothing is undone.
 */
export async function waitForExtension(wait: ExtensionWait, { signal, err }: Pick<Io, "signal" | "err">): Promise<ClusterExtension> {
  const { ClusterExtensionKind } = await import("@pintle/lifecycle/manager");
  const { client, name, timeoutMs, resume } = wait;
  const reported = new Map<string, string>();
  let last: ClusterExtension | undefined;
  const stop = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  let checked = "";
  try {
    for (;;) {
      const extension = await client.waitFor(
        ClusterExtensionKind,
        { name },
        (current) => {
          last = current;
          reportConditions(current, wait.generation, reported, wait.onProgress);
          const blocked = findBlocked(current, wait.generation);
          if (blocked !== undefined) throw new CommandError("PINTLE7101", `ClusterExtension/${name} ${formatCondition(blocked)}`);
          return isRolledOut(current, wait.generation) && current.metadata.resourceVersion !== checked;
        },
        { signal: stop },
      );
      if (await hasNewestRevision(client, extension, stop)) return extension;
      checked = extension.metadata.resourceVersion;
    }
  } catch (error) {
    const waiting = `ClusterExtension/${name}: ${describeWait(last).replace(/\.$/, "")}`;
    if (signal.aborted) err(`interrupted while waiting for ${waiting}. Nothing was undone; continue with '${resume}'\n`);
    signal.throwIfAborted();
    if (!stop.aborted) throw error;
    throw new CommandError(
      "PINTLE7102",
      `waited ${timeoutMs / 1000}s for ${waiting}. Continue with '${resume}', or see 'pintle operator why ${name}'`,
    );
  }
}

/** Whether the newest revision of an extension is installed and no work is left. */
export function isRolledOut({ status }: ClusterExtension, generation: number): boolean {
  const find = (type: string) => status?.conditions?.find((condition) => condition.type === type);
  const [installed, progressing] = [find("Installed"), find("Progressing")];
  return (
    installed?.status === "True" &&
    progressing?.status === "True" &&
    progressing.reason === "Succeeded" &&
    (progressing.observedGeneration ?? 0) >= generation &&
    (installed.observedGeneration ?? 0) >= generation &&
    (status?.activeRevisions?.length ?? 1) === 1
  );
}

/** Whether the installed bundle is that of the newest revision. The status is behind when a revision was created in the same moment. */
async function hasNewestRevision(client: Client, { metadata, status }: ClusterExtension, signal: AbortSignal): Promise<boolean> {
  const { ClusterObjectSetKind } = await import("@pintle/lifecycle/manager");
  const labels = { "olm.operatorframework.io/owner-name": metadata.name };
  const { items } = await client.list(ClusterObjectSetKind, { labels, signal }).catch((error: unknown) => {
    // A manager without revisions reports everything in the status.
    if (error instanceof NotFound && error.isUnservedKind) return { items: [] };
    throw error;
  });
  const newest = items.toSorted((a, b) => b.spec.revision - a.spec.revision)[0];
  const version = newest?.metadata.annotations?.["olm.operatorframework.io/bundle-version"];
  return newest === undefined || version === status?.install?.bundle.version;
}

/** Returns the condition that reports that the manager does not retry before the extension is changed. */
function findBlocked({ status }: ClusterExtension, generation: number): Condition | undefined {
  const progressing = status?.conditions?.find(({ type }) => type === "Progressing");
  const isCurrent = (progressing?.observedGeneration ?? 0) >= generation;
  return isCurrent && progressing?.status === "False" ? progressing : undefined;
}

/** Conditions of an older generation are about what was asked for before. */
function reportConditions(
  { metadata, status }: ClusterExtension,
  generation: number,
  reported: Map<string, string>,
  report: (line: string) => void,
): void {
  for (const condition of status?.conditions ?? []) {
    if (!REPORTED.includes(condition.type) || (condition.observedGeneration ?? 0) < generation) continue;
    const text = formatCondition(condition);
    if (reported.get(condition.type) === text) continue;
    reported.set(condition.type, text);
    report(`ClusterExtension/${metadata.name} ${text}`);
  }
}

/** Formats a condition in a line: `Progressing=True RollingOut: Revision 1.0.0 is rolling out.` */
export function formatCondition({ type, status, reason, message }: Condition): string {
  return `${type}=${status} ${reason}${message === "" ? "" : `: ${message}`}`;
}

function describeWait(extension: ClusterExtension | undefined): string {
  const conditions = extension?.status?.conditions ?? [];
  const open = conditions.find(({ type, reason }) => type === "Progressing" && reason !== "Succeeded");
  const shown = open ?? conditions.find(({ type, status }) => type === "Installed" && status !== "True");
  return shown === undefined ? "condition Progressing, which the lifecycle manager has not set yet" : formatCondition(shown);
}
