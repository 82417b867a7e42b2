import type { DynamicObject } from "pintle/client";
import type { JsonObject } from "pintle/kinds";
import { CustomResourceDefinition } from "pintle/kinds/apiextensions/v1";
import { Deployment } from "pintle/kinds/apps/v1";
import { Lease } from "pintle/kinds/coordination/v1";
import { type Command, OUTPUT_DESCRIPTION, OUTPUT_OPTION, outputFormatter } from "../../command/index.ts";
import { describeProject, findProject, type OperatorDescription, type Project } from "../../project/index.ts";
import {
  CLUSTER_OPTION_DESCRIPTIONS,
  CLUSTER_OPTIONS,
  connectToCluster,
  formatPods,
  listCustomResources,
  listOperatorPods,
  type OperatorPod,
  SIMULATED_NOTICE,
  type TargetCluster,
} from "../../target-cluster/index.ts";

const { yes: _, ...READ_OPTIONS } = CLUSTER_OPTIONS;
const { yes: __, ...READ_OPTION_DESCRIPTIONS } = CLUSTER_OPTION_DESCRIPTIONS;
/** Maximum number of unhealthy objects in the text output. */
const MAX_LISTED = 10;

export const status: Command = {
  name: "status",
  summary: "Show what is deployed, whether it is healthy, and the reasons if it is not.",
  usage: "[--context NAME] [--kubeconfig FILE] [--output json|yaml]",
  options: { ...READ_OPTIONS, ...OUTPUT_OPTION },
  optionDescriptions: { ...READ_OPTION_DESCRIPTIONS, ...OUTPUT_DESCRIPTION },
  examples: [
    "pintle status",
    "pintle status --context prod -o json",
    "pintle status > /dev/null && echo healthy      # exit code 1 if it is not",
  ],
  async run(args, io) {
    const output = outputFormatter(args);
    const project = await findProject(io.cwd);
    await using cluster = await connectToCluster(args, io);
    const operator = await describeProject(project);
    const operatorStatus = await readStatus(project, operator, cluster, io.signal);
    io.out(output?.(operatorStatus) ?? formatStatus(operatorStatus, project, cluster));
    return operatorStatus.healthy ? 0 : 1;
  },
};

interface OperatorStatus {
  readonly healthy: boolean;
  readonly deployed: boolean;
  readonly image?: string | undefined;
  readonly replicas?: { readonly ready: number; readonly desired: number } | undefined;
  readonly leader?: string | undefined;
  readonly pods: readonly OperatorPod[];
  readonly crds: readonly {
    readonly name: string;
    readonly state: "established" | "not established" | "missing";
    readonly objects: number;
  }[];
  readonly unhealthy: readonly { readonly object: string; readonly reason: string }[];
}

async function readStatus(
  project: Project,
  operator: OperatorDescription,
  { client }: TargetCluster,
  signal: AbortSignal,
): Promise<OperatorStatus> {
  const { namespace } = project;
  const found = await client.find(Deployment, { name: `${project.name}-controller-manager`, namespace }, { signal });
  const pods = found === undefined ? [] : await listOperatorPods(client, found, signal);
  const { items: leases } = await client.list(Lease, { namespace, signal });
  const holders = leases.map(({ spec }) => spec?.holderIdentity ?? "");
  const customResources = await listCustomResources(client, operator, signal);
  const crds = await Promise.all(
    operator.resources.map(async ({ crd }) => {
      const { name } = crd.metadata;
      const live = await client.find(CustomResourceDefinition, { name }, { signal });
      const established = live?.status?.conditions?.some(({ type, status }) => type === "Established" && status === "True") ?? false;
      const objects = customResources.find((each) => each.crd === crd)?.objects.length ?? 0;
      return {
        name,
        objects,
        state: live === undefined ? ("missing" as const) : established ? ("established" as const) : ("not established" as const),
      };
    }),
  );
  const unhealthy = customResources.flatMap(({ objects }) => objects.flatMap(findFailingCondition));
  const replicas = found && { ready: found.status.readyReplicas ?? 0, desired: found.spec.replicas ?? 1 };
  return {
    healthy:
      replicas !== undefined &&
      replicas.ready >= replicas.desired &&
      crds.every(({ state }) => state === "established") &&
      unhealthy.length === 0,
    deployed: found !== undefined,
    image: found?.spec.template.spec?.containers[0]?.image,
    replicas,
    leader: pods.find(({ name }) => holders.some((holder) => holder.startsWith(name)))?.name,
    pods,
    crds,
    unhealthy,
  };
}

/** Condition types that report a problem with status True. */
const NEGATIVE_CONDITION = /^(Degraded|Stalled|Failed|Failing|Error)/;

function findFailingCondition({ metadata, ...rest }: DynamicObject): OperatorStatus["unhealthy"] {
  const { name, namespace } = metadata as { readonly name: string; readonly namespace?: string };
  const conditions = ((rest["status"] as JsonObject | undefined)?.["conditions"] ?? []) as readonly Readonly<Record<string, string>>[];
  const wrong = conditions.find(({ type, status }) => (NEGATIVE_CONDITION.test(type ?? "") ? status === "True" : status === "False"));
  if (wrong === undefined) return [];
  const since =
    wrong["lastTransitionTime"] === undefined ? "" : ` for ${formatDuration(Date.now() - Date.parse(wrong["lastTransitionTime"]))}`;
  const message = wrong["message"] ? `: ${wrong["message"]}` : "";
  return [
    {
      object: namespace === undefined ? name : `${namespace}/${name}`,
      reason: `${wrong["type"]}=${wrong["status"]}${since}, ${wrong["reason"]}${message}`,
    },
  ];
}

function formatStatus(operatorStatus: OperatorStatus, project: Project, { description }: TargetCluster): string {
  if (!operatorStatus.deployed && operatorStatus.crds.every(({ state }) => state === "missing")) {
    return `${project.name} is not deployed in namespace ${project.namespace} of ${description}. Deploy it with 'pintle deploy'\n`;
  }
  const { replicas, leader, image } = operatorStatus;
  const head = operatorStatus.deployed
    ? `${project.name}  ${image}  ${replicas?.ready}/${replicas?.desired} ready  ${leader === undefined ? "no leader" : `leader ${leader}`}  in namespace ${project.namespace} of ${description}`
    : `${project.name} is not deployed in namespace ${project.namespace} of ${description}, but its CRDs are installed`;
  const lines = [
    head,
    ...(operatorStatus.deployed && operatorStatus.pods.length === 0 ? ["  no pods found"] : []),
    ...(operatorStatus.pods.some(({ simulated }) => simulated) ? [`  ${SIMULATED_NOTICE}`] : []),
    ...[formatPods(operatorStatus.pods)].filter((words) => words !== ""),
    ...operatorStatus.crds.map(
      ({ name, state, objects }) =>
        `${name}  ${state}${state === "missing" ? ": install it with 'pintle install'" : `, ${objects} ${objects === 1 ? "object" : "objects"}`}`,
    ),
    ...operatorStatus.unhealthy.slice(0, MAX_LISTED).map(({ object, reason }) => `  ${object}  ${reason}`),
    ...(operatorStatus.unhealthy.length > MAX_LISTED
      ? [`  and ${operatorStatus.unhealthy.length - MAX_LISTED} more; list them with 'pintle status -o json'`]
      : []),
  ];
  return `${lines.join("\n")}\n`;
}

/** Formats milliseconds as "40s", "3m", "5h" or "2d". */
export function formatDuration(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  if (seconds < 120) return `${seconds}s`;
  if (seconds < 7200) return `${Math.round(seconds / 60)}m`;
  return seconds < 172_800 ? `${Math.round(seconds / 3600)}h` : `${Math.round(seconds / 86_400)}d`;
}
