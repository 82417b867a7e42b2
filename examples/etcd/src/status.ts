import { type ClusterObservation, compareVersions, listVoters, type NextStep, type Volume } from "./decide/index.ts";
import type { EtcdCluster } from "./etcd-cluster.ts";
import type { StepOutcome } from "./execute-step.ts";
import { PORTS, urlScheme } from "./members.ts";

/** Builds the status and conditions of a cluster. */
export function buildStatus(
  cluster: EtcdCluster,
  observed: ClusterObservation,
  step: NextStep,
  { error }: StepOutcome,
  volumes: readonly Volume[],
) {
  const { name, namespace } = cluster.metadata;
  const voters = listVoters(observed);
  const ready = voters.filter(({ healthy }) => healthy).length;
  const hasQuorum = observed.memberList !== undefined && ready > voters.length / 2;
  const isRefused = step.do === "refuse";
  const [oldest] = volumes.map(({ version }) => version).sort(compareVersions);
  const [history = cluster.status?.history ?? ""] = observed.memberList === undefined ? [] : volumes.map((volume) => volume.history);
  const status = {
    members: observed.observedMembers.flatMap(({ name: member, member: entry, healthy, leader, runningVersion, volume }) =>
      entry === undefined
        ? []
        : [
            {
              name: member,
              id: toHex(entry.id),
              version: runningVersion ?? volume?.version ?? "",
              healthy,
              learner: entry.learner,
              leader,
            },
          ],
    ),
    history,
    ready,
    leader: observed.observedMembers.find(({ leader }) => leader)?.name ?? "",
    endpoint: `${urlScheme(cluster)}://${name}.${namespace}.svc:${PORTS.client}`,
    version: oldest ?? cluster.spec.version,
  };
  const conditions = {
    Available: { status: hasQuorum, reason: hasQuorum ? "Quorum" : "NoQuorum", message: `${ready} of ${voters.length} voters are healthy` },
    Progressing: {
      status: step.do !== "nothing" && !isRefused,
      reason: isRefused ? step.reason : conditionReason(step),
      message: error ?? ("message" in step ? step.message : ""),
    },
    Degraded: { status: isRefused, reason: isRefused ? step.reason : "AsWanted", message: isRefused ? step.message : "" },
  };
  return { status, conditions };
}

function toHex(id: string): string {
  return BigInt(id).toString(16);
}

/** Turns "hand over" into "HandOver". */
function conditionReason({ do: what }: NextStep): string {
  return what.replace(/(^| )(.)/g, (_, __, letter: string) => letter.toUpperCase());
}
