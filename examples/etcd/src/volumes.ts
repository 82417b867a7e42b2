import { settingsOf } from "./children/index.ts";
import { byVersion, type Observed, type Step, type Volume } from "./decide/index.ts";
import type { EtcdCluster } from "./etcd-cluster.ts";
import { memberName, peerURL } from "./members.ts";

export interface Claims {
  /** Those that are there now and stay. */
  readonly there: ReadonlySet<string>;
  /** Those into which their snapshot has been unpacked. */
  readonly unpacked: ReadonlySet<string>;
  /** Those into which it could not be. */
  readonly spoilt: ReadonlySet<string>;
  readonly now: number;
}

/** The volumes that should be: those of members, one for a member that has none yet, and at the very beginning the first. */
export function volumesFor(cluster: EtcdCluster, observed: Observed, step: Step, claims: Claims): readonly Volume[] {
  const { members, seen } = observed;
  const fresh = { version: cluster.spec.version, settings: settingsOf(cluster), renewedAt: claims.now };
  if (step.do === "clear") return [];
  if (step.do === "seed") {
    const name = memberName(cluster, step.ordinal);
    const { history = "", snapshot = "" } = step.restore ?? {};
    const state = step.restore === undefined ? ("new" as const) : ("restoring" as const);
    return [{ ...fresh, name, initialCluster: `${name}=${peerURL(cluster, name)}`, state, history, snapshot }];
  }
  if (step.do === "recover") return [{ ...step.seen.volume!, state: "recovering" }];

  // A claim that went while etcd was asked must not be made anew: a member without its data may not come back under its old name.
  const held = seen.filter(({ name }) => claims.there.has(name) && !claims.spoilt.has(name));
  const unpacked = (volume: Volume): Volume =>
    volume.state === "restoring" && claims.unpacked.has(volume.name) ? { ...volume, state: "existing" } : volume;
  // Who cannot ask etcd changes nothing else.
  if (members === undefined) return held.flatMap(({ volume }) => volume ?? []).map(unpacked);

  const kept = held.filter(({ member }) => member !== undefined).flatMap(({ volume }) => volume ?? []);
  const [oldest] = seen.flatMap(({ volume }) => volume ?? []).sort((a, b) => byVersion(a.version, b.version));
  const joining = seen.filter(({ member, volume }) => member?.name === "" && volume === undefined);
  return [
    ...kept.map((volume) => ({
      ...volume,
      state: "existing" as const,
      ...(step.do === "renew" && step.seen.name === volume.name ? fresh : {}),
    })),
    ...joining.map(({ name }) => ({
      ...fresh,
      name,
      initialCluster: initialClusterFor(cluster, observed, name),
      state: "existing" as const,
      version: oldest?.version ?? fresh.version,
      history: oldest?.history ?? "",
      snapshot: oldest?.snapshot ?? "",
    })),
  ];
}

/** Those who are there, as a member that is about to begin must know them. */
function initialClusterFor(cluster: EtcdCluster, { members = [], seen }: Observed, name: string): string {
  const others = seen.filter((each) => each.name !== name && each.member !== undefined && each.member.name !== "");
  return [...others.map((each) => each.name), name]
    .map((each) => `${each}=${members.find((member) => member.name === each)?.peerURLs[0] ?? peerURL(cluster, each)}`)
    .join(",");
}
