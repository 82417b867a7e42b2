import type { DynamicObject } from "pintle/client";
import type { JsonObject } from "pintle/kinds";
import { CustomResourceDefinition } from "pintle/kinds/apiextensions/v1";
import { Deployment } from "pintle/kinds/apps/v1";
import { Lease } from "pintle/kinds/coordination/v1";
import type { Command } from "../command.ts";
import { OUTPUT_ABOUT, OUTPUT_OPTION, outputOf } from "../output.ts";
import { describe, findProject, type Operator, type Project } from "../project/index.ts";
import { instances, type PodState, podsOf, podWords, REACH_ABOUT, REACH_OPTIONS, type Reach, reach } from "../reach/index.ts";

const { yes: _, ...WHERE } = REACH_OPTIONS;
const { yes: __, ...WHERE_ABOUT } = REACH_ABOUT;
/** Of objects that are not well: more than a screen of them helps nobody. */
const SHOWN = 10;

export const status: Command = {
  name: "status",
  summary: "Tell what is deployed, whether it is healthy, and if not, why.",
  usage: "[--context NAME] [--kubeconfig FILE] [--output json|yaml]",
  options: { ...WHERE, ...OUTPUT_OPTION },
  about: { ...WHERE_ABOUT, ...OUTPUT_ABOUT },
  examples: [
    "pintle status",
    "pintle status --context prod -o json",
    "pintle status > /dev/null && echo healthy      (exit code 1: it is not)",
  ],
  async run(args, io) {
    const output = outputOf("status", args);
    const project = await findProject(io.cwd);
    await using cluster = await reach(args, io);
    const operator = await describe(project);
    const seen = await look(project, operator, cluster, io.signal);
    io.out(output?.(seen) ?? text(seen, project, cluster));
    return seen.healthy ? 0 : 1;
  },
};

interface Seen {
  readonly healthy: boolean;
  readonly deployed: boolean;
  readonly image?: string | undefined;
  readonly replicas?: { readonly ready: number; readonly wanted: number } | undefined;
  readonly leader?: string | undefined;
  readonly pods: readonly PodState[];
  readonly definitions: readonly {
    readonly name: string;
    readonly state: "established" | "not established" | "missing";
    readonly objects: number;
  }[];
  readonly unwell: readonly { readonly object: string; readonly why: string }[];
}

async function look(project: Project, operator: Operator, { client }: Reach, signal: AbortSignal): Promise<Seen> {
  const { namespace } = project;
  const found = await client.find(Deployment, { name: `${project.name}-controller-manager`, namespace }, { signal });
  const pods = found === undefined ? [] : await podsOf(client, found, signal);
  const { items: leases } = await client.list(Lease, { namespace, signal });
  const holders = leases.map(({ spec }) => spec?.holderIdentity ?? "");
  const there = await instances(client, operator, signal);
  const definitions = await Promise.all(
    operator.resources.map(async ({ crd }) => {
      const { name } = crd.metadata;
      const live = await client.find(CustomResourceDefinition, { name }, { signal });
      const established = live?.status?.conditions?.some(({ type, status }) => type === "Established" && status === "True") ?? false;
      const objects = there.find((each) => each.crd === crd)?.objects.length ?? 0;
      return {
        name,
        objects,
        state: live === undefined ? ("missing" as const) : established ? ("established" as const) : ("not established" as const),
      };
    }),
  );
  const unwell = there.flatMap(({ objects }) => objects.flatMap(troubles));
  const replicas = found && { ready: found.status.readyReplicas ?? 0, wanted: found.spec.replicas ?? 1 };
  return {
    healthy:
      replicas !== undefined &&
      replicas.ready >= replicas.wanted &&
      definitions.every(({ state }) => state === "established") &&
      unwell.length === 0,
    deployed: found !== undefined,
    image: found?.spec.template.spec?.containers[0]?.image,
    replicas,
    leader: pods.find(({ name }) => holders.some((holder) => holder.startsWith(name)))?.name,
    pods,
    definitions,
    unwell,
  };
}

/** Conditions that say, by their own name, that something is wrong. */
const BAD = /^(Degraded|Stalled|Failed|Failing|Error)/;

function troubles({ metadata, ...rest }: DynamicObject): Seen["unwell"] {
  const { name, namespace } = metadata as { readonly name: string; readonly namespace?: string };
  const conditions = ((rest["status"] as JsonObject | undefined)?.["conditions"] ?? []) as readonly Readonly<Record<string, string>>[];
  const wrong = conditions.find(({ type, status }) => (BAD.test(type ?? "") ? status === "True" : status === "False"));
  if (wrong === undefined) return [];
  const since = wrong["lastTransitionTime"] === undefined ? "" : ` for ${span(Date.now() - Date.parse(wrong["lastTransitionTime"]))}`;
  const message = wrong["message"] ? `: ${wrong["message"]}` : "";
  return [
    {
      object: namespace === undefined ? name : `${namespace}/${name}`,
      why: `${wrong["type"]}=${wrong["status"]}${since}, ${wrong["reason"]}${message}`,
    },
  ];
}

function text(seen: Seen, project: Project, { where }: Reach): string {
  if (!seen.deployed && seen.definitions.every(({ state }) => state === "missing")) {
    return `${project.name} is not deployed in ${project.namespace} of ${where}. Deploy it with: pintle deploy\n`;
  }
  const { replicas, leader, image } = seen;
  const head = seen.deployed
    ? `${project.name}  ${image}  ${replicas?.ready}/${replicas?.wanted} ready  ${leader === undefined ? "nobody leads" : `leader ${leader}`}  in ${project.namespace} of ${where}`
    : `${project.name} is not deployed in ${project.namespace} of ${where}, but its definitions are there`;
  const lines = [
    head,
    ...(seen.deployed && seen.pods.length === 0 ? ["  there are no pods"] : []),
    ...[podWords(seen.pods)].filter((words) => words !== ""),
    ...seen.definitions.map(
      ({ name, state, objects }) =>
        `${name}  ${state}${state === "missing" ? ": pintle install puts it there" : `, ${objects} ${objects === 1 ? "object" : "objects"}`}`,
    ),
    ...seen.unwell.slice(0, SHOWN).map(({ object, why }) => `  ${object}  ${why}`),
    ...(seen.unwell.length > SHOWN ? [`  and ${seen.unwell.length - SHOWN} more: pintle status -o json lists them`] : []),
  ];
  return `${lines.join("\n")}\n`;
}

/** "40 s", "3 min", "5 h", "2 d" */
export function span(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.round(seconds / 3600)} h` : `${Math.round(seconds / 86_400)} d`;
}
