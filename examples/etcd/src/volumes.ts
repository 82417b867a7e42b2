import { serverSettings } from "./children/index.ts";
import { type ClusterObservation, compareVersions, type NextStep, type Volume } from "./decide/index.ts";
import type { EtcdCluster } from "./etcd-cluster.ts";
import { memberName, peerURL } from "./members.ts";

export interface ClaimState {
  /** Claims that exist and are not being deleted. */
  readonly existing: ReadonlySet<string>;
  /** Claims whose snapshot is restored. */
  readonly restored: ReadonlySet<string>;
  /** Claims whose restore failed. */
  readonly failedRestores: ReadonlySet<string>;
  readonly now: number;
}

/** Returns the desired volumes: those of the members, one for a member that has none, and the first one of a new cluster. */
export function desiredVolumes(cluster: EtcdCluster, observed: ClusterObservation, step: NextStep, claims: ClaimState): readonly Volume[] {
  const { memberList, observedMembers } = observed;
  const initial = { version: cluster.spec.version, settings: serverSettings(cluster), renewedAt: claims.now };
  if (step.do === "clear") return [];
  if (step.do === "seed") {
    const name = memberName(cluster, step.ordinal);
    const { history = "", snapshot = "" } = step.restore ?? {};
    const state = step.restore === undefined ? ("new" as const) : ("restoring" as const);
    return [{ ...initial, name, initialCluster: `${name}=${peerURL(cluster, name)}`, state, history, snapshot }];
  }
  if (step.do === "recover") return [{ ...step.target.volume!, state: "recovering" }];

  // A claim that was deleted while etcd was queried must not be recreated: a member without its data must not return under its old name.
  const usable = observedMembers.filter(({ name }) => claims.existing.has(name) && !claims.failedRestores.has(name));
  const markRestored = (volume: Volume): Volume =>
    volume.state === "restoring" && claims.restored.has(volume.name) ? { ...volume, state: "existing" } : volume;
  // Without the member list nothing else may change.
  if (memberList === undefined) return usable.flatMap(({ volume }) => volume ?? []).map(markRestored);

  const memberVolumes = usable.filter(({ member }) => member !== undefined).flatMap(({ volume }) => volume ?? []);
  const [oldest] = observedMembers.flatMap(({ volume }) => volume ?? []).sort((a, b) => compareVersions(a.version, b.version));
  const joining = observedMembers.filter(({ member, volume }) => member?.name === "" && volume === undefined);
  return [
    ...memberVolumes.map((volume) => ({
      ...volume,
      state: "existing" as const,
      ...(step.do === "renew" && step.target.name === volume.name ? initial : {}),
    })),
    ...joining.map(({ name }) => ({
      ...initial,
      name,
      initialCluster: buildInitialCluster(cluster, observed, name),
      state: "existing" as const,
      version: oldest?.version ?? initial.version,
      history: oldest?.history ?? "",
      snapshot: oldest?.snapshot ?? "",
    })),
  ];
}

/** Returns the initial cluster flag of a joining member. */
function buildInitialCluster(cluster: EtcdCluster, { memberList = [], observedMembers }: ClusterObservation, name: string): string {
  const others = observedMembers.filter((each) => each.name !== name && each.member !== undefined && each.member.name !== "");
  return [...others.map((each) => each.name), name]
    .map((each) => `${each}=${memberList.find((member) => member.name === each)?.peerURLs[0] ?? peerURL(cluster, each)}`)
    .join(",");
}
