import { readFileSync } from "node:fs";
import path from "node:path";
import type { Cluster } from "@pintle/cluster";
import type { ApplyResult } from "@pintle/console/internal/source";
import type { JsonObject } from "pintle/kinds";
import type { Io } from "../../command/index.ts";
import { createClusterSource, createProjectFiles, replayPlans, type StartedConsole, startConsole } from "../../console/index.ts";
import { parseYaml } from "../../manifests/index.ts";
import { listSamples, type Project } from "../../project/index.ts";
import { type ApplyOutcome, applyObject, resolveKind, type TargetCluster } from "../../target-cluster/index.ts";
import { cliVersion } from "../version.ts";

/** A sample that was applied. */
export interface AppliedSample {
  readonly object: JsonObject;
  readonly path: string;
  readonly outcome: ApplyOutcome;
}

/** Applies the samples of the project, in the order of their files. */
export async function* applySamples(
  project: Project,
  { client }: Pick<TargetCluster, "client">,
  signal: AbortSignal,
): AsyncGenerator<AppliedSample> {
  for (const file of listSamples(project)) {
    for (const sample of parseYaml(readFileSync(path.join(project.root, file), "utf8"), file) as readonly JsonObject[]) {
      const { scope, group, plural } = await resolveKind(client, sample, signal);
      const object =
        scope === "Cluster" ? sample : { ...sample, metadata: { namespace: "default", ...(sample["metadata"] as JsonObject) } };
      const { namespace = "-", name } = object["metadata"] as { readonly namespace?: string; readonly name: string };
      yield {
        object,
        path: `${group === "" ? "core" : group}/${plural}/${namespace}/${name}`,
        outcome: await applyObject(client, object, signal),
      };
    }
  }
}

export interface DevConsoleOptions {
  readonly project: Project;
  readonly cluster: Cluster;
  readonly target: TargetCluster;
  readonly port: string | undefined;
  readonly open: boolean;
  readonly io: Io;
  readonly kubectl: string;
  restart(): Promise<void>;
  operatorState(): { readonly state: "running" | "stopped" | "starting"; readonly since?: number | undefined };
}

/** Serves the console of a session. */
export async function startDevConsole(options: DevConsoleOptions): Promise<StartedConsole> {
  const { project, cluster, target, port, open, io, kubectl } = options;
  const files = createProjectFiles(project);
  const source = await createClusterSource(cluster, {
    name: project.name,
    kubectl,
    folder: path.join(project.root, ".pintle"),
    ...files,
    restart: options.restart,
    operatorState: options.operatorState,
    replay: (facts, run, signal) => replayPlans(project, facts, run, signal),
    async applySamples(): Promise<ApplyResult> {
      const objects: ApplyResult["objects"][number][] = [];
      for await (const { path: object, outcome } of applySamples(project, target, io.signal))
        objects.push({ path: object, outcome, changes: [], warnings: [] });
      return { objects };
    },
  });
  const started = await startConsole(source, { port, open, version: cliVersion(), io }).catch(async (error: unknown) => {
    await source[Symbol.asyncDispose]();
    throw error;
  });
  return {
    url: started.url,
    async [Symbol.asyncDispose]() {
      await started[Symbol.asyncDispose]();
      await source[Symbol.asyncDispose]();
    },
  };
}
