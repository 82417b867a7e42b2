import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Target } from "../api/target.ts";

/** Audit annotations of a request, set by webhooks and policies. */
export type AuditAnnotations = Readonly<Record<string, string>>;

/** A real server's audit log. */
export interface AuditLog extends AsyncDisposable {
  /** Command-line flags that enable the log. */
  readonly flags: readonly string[];
  /** Reads the log and returns the annotations of each request by namespace. */
  read(target: Target): Promise<(namespace: string) => readonly AuditAnnotations[]>;
}

const POLICY = { apiVersion: "audit.k8s.io/v1", kind: "Policy", omitStages: ["RequestReceived"], rules: [{ level: "Metadata" }] };
const LAST_REQUEST_PATH = "/api/v1/namespaces/last-of-the-audit-log";
/** Matches annotation keys of configured webhooks and policies; kube-apiserver adds keys of its own. */
const CONFIGURED_KEY = /^case-\d+\/|\.example\.com\/|\/validation_failure$/;

export async function createAuditLog(): Promise<AuditLog> {
  const folder = await mkdtemp(join(tmpdir(), "pintle-audit-"));
  const file = join(folder, "audit.log");
  await writeFile(join(folder, "policy.json"), JSON.stringify(POLICY));
  return {
    flags: [`--audit-policy-file=${join(folder, "policy.json")}`, `--audit-log-path=${file}`],
    async read(target) {
      // Audit events are written in order: once the last one is present, all are.
      await target.send("GET", LAST_REQUEST_PATH);
      while (!readFileSync(file, "utf8").includes(LAST_REQUEST_PATH)) await delay(50);
      const events = readFileSync(file, "utf8")
        .split("\n")
        .filter((line) => line.endsWith("}"))
        .map((line) => JSON.parse(line) as AuditEvent);
      return (namespace) =>
        events
          .filter(({ objectRef }) => objectRef?.namespace === namespace)
          .flatMap(({ annotations = {} }) => selectConfigured(annotations));
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

interface AuditEvent {
  readonly objectRef?: { readonly namespace?: string };
  readonly annotations?: AuditAnnotations;
}

/** Selects the annotations that are compared. */
export function selectConfigured(annotations: AuditAnnotations): readonly AuditAnnotations[] {
  const configured = Object.entries(annotations).filter(([key]) => CONFIGURED_KEY.test(key));
  return configured.length === 0 ? [] : [Object.fromEntries(configured)];
}
