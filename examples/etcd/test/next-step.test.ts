import { describe, expect, test } from "vitest";
import { type ClusterObservation, type DesiredCluster, decideNextStep, type NextStep, type ObservedMember } from "../src/decide/index.ts";

const MIB = 1024 * 1024;
const wanted: DesiredCluster = { size: 3, version: "3.6.5", settings: "", replaceAfterMs: 60_000, defragmentAtPercent: 50, lastOrdinal: 0 };
const restore = { history: "r", snapshot: "s" };

/**
 * Members in short form: "1" healthy, "2!" unhealthy, "3?" a learner, "1*" the leader, "4-" without a volume, "2~" unavailable for long,
 * "2~~" for very long, "3<" with an older version, "3s" with other settings, "3x" to be replaced, "3e" with a mostly empty database, "1r"
 * restored.
 */
function observationOf(...short: readonly string[]): ClusterObservation {
  const observedMembers = short.map((text): ObservedMember => {
    const name = `e-${Number.parseInt(text, 10)}`;
    const has = (mark: string) => text.includes(mark);
    const version = has("<") ? "3.5.20" : "3.6.5";
    const isUnstarted = has("-") && has("?");
    return {
      name,
      member: { id: name.slice(2), name: isUnstarted ? "" : name, peerURLs: [`http://${name}.x:2380`], learner: has("?") },
      volume: has("-")
        ? undefined
        : {
            name,
            initialCluster: "",
            state: "existing",
            version,
            settings: has("s") ? "--other" : "",
            history: has("r") ? restore.history : "",
            snapshot: "",
            renewedAt: 0,
          },
      healthy: !has("!") && !has("~") && !has("-"),
      leader: has("*"),
      runningVersion: version,
      podMatchesVolume: true,
      notReadyForMs: has("~~") ? 1_000_000 : has("~") ? 100_000 : 0,
      unhealthyReason: has("x") ? "restarts repeatedly" : undefined,
      dbSizeBytes: 100 * MIB,
      dbUsedBytes: has("e") ? 10 * MIB : 90 * MIB,
    };
  });
  const voterCount = observedMembers.filter(({ member }) => !member!.learner).length;
  return { memberList: observedMembers.map(({ member }) => member!), voterCount, observedMembers, outOfSpaceIds: [], revision: 1 };
}
/** The same members without etcd's member list. */
function unheard(...members: readonly string[]): ClusterObservation {
  return { ...observationOf(...members), memberList: undefined };
}
const nothing = unheard();
function short(step: NextStep): string {
  if ("target" in step) return `${step.do} ${step.target.name}`;
  if (step.do === "hand over") return `hand over ${step.from.name} ${step.to.name}`;
  if (step.do === "free space") return `free space ${step.order.map(({ name }) => name).join(" ")}`;
  return "ordinal" in step ? `${step.do} ${step.ordinal}` : step.do;
}

describe("decideNextStep", () => {
  test.each<[what: string, observed: ClusterObservation, step: string, more?: Partial<DesiredCluster>]>([
    ["seeds a cluster if nothing exists", nothing, "seed 1"],
    ["refuses to seed again if all volumes are lost", nothing, "refuse", { lastOrdinal: 3 }],
    ["adds a second member", observationOf("1*"), "add 2"],
    ["promotes a learner that has caught up", observationOf("1*", "2?"), "promote e-2"],
    ["waits for a learner that is starting", observationOf("1*", "2?!"), "wait"],
    ["waits for the volume of a learner", observationOf("1*", "2?-"), "wait"],
    ["waits for a slow learner", observationOf("1*", "2?~"), "wait"],
    ["removes a learner that never caught up", observationOf("1*", "2?~~"), "remove e-2"],
    ["adds a third member", observationOf("1*", "2"), "add 3"],
    ["does nothing if all members are healthy", observationOf("1*", "2", "3"), "nothing"],
    ["waits for a member that is briefly unavailable", observationOf("1*", "2", "3!"), "wait"],
    ["removes a member that is unavailable for long", observationOf("1*", "2", "3~"), "remove e-3"],
    ["removes a member without volume", observationOf("1*", "2", "3-"), "remove e-3"],
    ["removes a leader without volume", observationOf("1-*", "2", "3"), "remove e-1"],
    ["waits if a member has no volume and another is unavailable", observationOf("1*", "2!", "3-"), "wait"],
    ["continues ordinals after a replacement", observationOf("1*", "4"), "add 5"],
    ["does not reuse an ordinal", observationOf("1*", "2"), "add 4", { lastOrdinal: 3 }],
    ["waits if removing one of two unavailable members would break the quorum", observationOf("1*", "2~", "3~"), "wait"],
    ["removes the youngest member when scaling down", observationOf("1*", "2", "3", "4", "5"), "remove e-5"],
    ["transfers leadership before removing the leader", observationOf("1", "2", "3", "4*"), "hand over e-4 e-1"],
    ["does not scale down while a member is unavailable", observationOf("1*", "2", "3", "4!", "5"), "wait"],
    ["updates a follower first", observationOf("1*<", "2<", "3<"), "renew e-2"],
    ["transfers leadership before updating the leader", observationOf("1*<", "2", "3"), "hand over e-1 e-2"],
    ["does not update while a member is unavailable", observationOf("1*", "2<", "3!"), "wait"],
    ["updates a single member", observationOf("1*<"), "renew e-1", { size: 1 }],
    ["refuses to skip a minor version", observationOf("1*<", "2<", "3<"), "refuse", { version: "3.7.0" }],
    ["refuses to downgrade a minor version", observationOf("1*", "2", "3"), "refuse", { version: "3.5.20" }],
    ["waits for the updated member to start", observationOf("1*<", "2!", "3<"), "wait"],
    ["refuses to continue if the updated member does not start", observationOf("1*<", "2~", "3<"), "refuse"],
    ["updates the stuck member if the spec changes again", observationOf("1*<", "2~", "3<"), "renew e-2", { version: "3.5.21" }],
    ["updates a member with other settings", observationOf("1*", "2s", "3"), "renew e-2"],
    ["replaces a member that restarts repeatedly", observationOf("1*", "2x", "3"), "remove e-2"],
    ["does not replace it while another member is unavailable", observationOf("1*", "2x", "3!"), "wait"],
    ["does not replace members if all of them restart repeatedly", observationOf("1*x", "2x"), "add 3"],
    ["defragments a follower with a mostly empty database", observationOf("1*e", "2e", "3"), "defragment e-2"],
    ["defragments the leader last", observationOf("1*e", "2", "3"), "defragment e-1"],
    ["reclaims space after a NOSPACE alarm", { ...observationOf("1*", "2", "3"), outOfSpaceIds: ["1"] }, "free space e-2 e-3 e-1"],
    ["updates the quota instead if the spec changed it", { ...observationOf("1*s", "2s", "3s"), outOfSpaceIds: ["1"] }, "renew e-2"],
    ["clears the cluster before a restore", observationOf("1*", "2", "3"), "clear", { restore, lastOrdinal: 3 }],
    ["seeds from the snapshot with the next ordinal", nothing, "seed 4", { restore, lastOrdinal: 3 }],
    ["adds members after the restore", observationOf("4*r"), "add 5", { restore, lastOrdinal: 4 }],
    ["recovers from the requested member without a quorum", unheard("1~", "2~", "3"), "recover e-3", { recoverFrom: "e-3" }],
    ["waits for a leader if most members respond", unheard("1", "2", "3!"), "wait", { recoverFrom: "e-1" }],
    ["refuses to change anything without a quorum", unheard("1~", "2~", "3"), "refuse"],
    ["waits while members are briefly unavailable", unheard("1!", "2!", "3"), "wait", { recoverFrom: "e-3" }],
    ["refuses if two of three volumes are lost", { ...unheard("3"), voterCount: 3 }, "refuse"],
    ["waits for the first member to respond", unheard("1!"), "wait"],
  ])("%s", (_, observed, step, more) => {
    expect(short(decideNextStep(observed, { ...wanted, ...more }))).toBe(step);
  });
});
