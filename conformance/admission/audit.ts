import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Target } from "../api/target.ts";

/** What webhooks and policies noted with a request. */
export type Notes = Readonly<Record<string, string>>;

/** A real server's audit log. */
export interface AuditLog extends AsyncDisposable {
  /** Of its command line. */
  readonly flags: readonly string[];
  /** What was noted so far, request by request, for each namespace. */
  read(target: Target): Promise<(namespace: string) => readonly Notes[]>;
}

const POLICY = { apiVersion: "audit.k8s.io/v1", kind: "Policy", omitStages: ["RequestReceived"], rules: [{ level: "Metadata" }] };
const LAST = "/api/v1/namespaces/last-of-the-audit-log";
/** Those of the server's own are not what users configure. */
const CONFIGURED = /^case-\d+\/|\.example\.com\/|\/validation_failure$/;

export async function auditLog(): Promise<AuditLog> {
  const folder = await mkdtemp(join(tmpdir(), "pintle-audit-"));
  const file = join(folder, "audit.log");
  await writeFile(join(folder, "policy.json"), JSON.stringify(POLICY));
  return {
    flags: [`--audit-policy-file=${join(folder, "policy.json")}`, `--audit-log-path=${file}`],
    async read(target) {
      // Events are written one after the other: once the last one is there, all are.
      await target.send("GET", LAST);
      while (!readFileSync(file, "utf8").includes(LAST)) await delay(50);
      const events = readFileSync(file, "utf8")
        .split("\n")
        .filter((line) => line.endsWith("}"))
        .map((line) => JSON.parse(line) as Event);
      return (namespace) =>
        events.filter(({ objectRef }) => objectRef?.namespace === namespace).flatMap(({ annotations = {} }) => notes(annotations));
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

interface Event {
  readonly objectRef?: { readonly namespace?: string };
  readonly annotations?: Notes;
}

/** Those that are compared, if there are any. */
export function notes(annotations: Notes): readonly Notes[] {
  const kept = Object.entries(annotations).filter(([key]) => CONFIGURED.test(key));
  return kept.length === 0 ? [] : [Object.fromEntries(kept)];
}
