import { describe, expect, test } from "vitest";
import { analyse, type Observed, type Seen, type Step, type Wanted } from "../src/decide/index.ts";

const MIB = 1024 * 1024;
const wanted: Wanted = { size: 3, version: "3.6.5", settings: "", replaceAfter: 60_000, defragmentAt: 50, lastOrdinal: 0 };
const restore = { history: "r", snapshot: "s" };

/**
 * Members in short: "1" well, "2!" away, "3?" a learner, "1*" the leader, "4-" without a volume, "2~" away for long, "2~~" for very long,
 * "3<" of an older version, "3s" with other settings, "3x" unsound, "3e" with an empty database, "1r" restored.
 */
function given(...short: readonly string[]): Observed {
  const seen = short.map((text): Seen => {
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
      running: version,
      fitted: true,
      awayFor: has("~~") ? 1_000_000 : has("~") ? 100_000 : 0,
      unsound: has("x") ? "it ends again and again" : undefined,
      size: 100 * MIB,
      used: has("e") ? 10 * MIB : 90 * MIB,
    };
  });
  const voters = seen.filter(({ member }) => !member!.learner).length;
  return { members: seen.map(({ member }) => member!), voters, seen, full: [], revision: 1 };
}
/** The same, where etcd's own list cannot be read. */
function unheard(...members: readonly string[]): Observed {
  return { ...given(...members), members: undefined };
}
const nothing = unheard();
function short(step: Step): string {
  if ("seen" in step) return `${step.do} ${step.seen.name}`;
  if (step.do === "hand over") return `hand over ${step.from.name} ${step.to.name}`;
  if (step.do === "free space") return `free space ${step.order.map(({ name }) => name).join(" ")}`;
  return "ordinal" in step ? `${step.do} ${step.ordinal}` : step.do;
}

describe("the next step", () => {
  test.each<[what: string, observed: Observed, step: string, more?: Partial<Wanted>]>([
    ["nothing is there", nothing, "seed 1"],
    ["nothing is there any more", nothing, "refuse", { lastOrdinal: 3 }],
    ["only the first is there", given("1*"), "add 2"],
    ["a learner has caught up", given("1*", "2?"), "promote e-2"],
    ["a learner is starting", given("1*", "2?!"), "wait"],
    ["a learner has no volume yet", given("1*", "2?-"), "wait"],
    ["a learner takes its time", given("1*", "2?~"), "wait"],
    ["a learner never came", given("1*", "2?~~"), "remove e-2"],
    ["two of three", given("1*", "2"), "add 3"],
    ["all are there", given("1*", "2", "3"), "nothing"],
    ["one is away for a moment", given("1*", "2", "3!"), "wait"],
    ["one is away for long", given("1*", "2", "3~"), "remove e-3"],
    ["one has lost its volume", given("1*", "2", "3-"), "remove e-3"],
    ["one whose volume goes leads", given("1-*", "2", "3"), "remove e-1"],
    ["one has lost its volume, another is away", given("1*", "2!", "3-"), "wait"],
    ["after a replacement numbers go on", given("1*", "4"), "add 5"],
    ["a number is not used again", given("1*", "2"), "add 4", { lastOrdinal: 3 }],
    ["two are away for long: removing one would leave no majority", given("1*", "2~", "3~"), "wait"],
    ["too many", given("1*", "2", "3", "4", "5"), "remove e-5"],
    ["too many, the youngest leads", given("1", "2", "3", "4*"), "hand over e-4 e-1"],
    ["fewer are wanted, but one is away", given("1*", "2", "3", "4!", "5"), "wait"],
    ["all are old", given("1*<", "2<", "3<"), "renew e-2"],
    ["only the leader is old", given("1*<", "2", "3"), "hand over e-1 e-2"],
    ["one is old, another away", given("1*", "2<", "3!"), "wait"],
    ["a single one is old", given("1*<"), "renew e-1", { size: 1 }],
    ["two minors at once", given("1*<", "2<", "3<"), "refuse", { version: "3.7.0" }],
    ["back by a minor", given("1*", "2", "3"), "refuse", { version: "3.5.20" }],
    ["the new version does not come up", given("1*<", "2!", "3<"), "wait"],
    ["the new version does not come up for long: a new member would not either", given("1*<", "2~", "3<"), "refuse"],
    ["the new version does not come up, and is no longer wanted", given("1*<", "2~", "3<"), "renew e-2", { version: "3.5.21" }],
    ["one has other settings", given("1*", "2s", "3"), "renew e-2"],
    ["one ends again and again", given("1*", "2x", "3"), "remove e-2"],
    ["one ends again and again, another is away", given("1*", "2x", "3!"), "wait"],
    ["all end again and again: another would too, and two are no majority to lose", given("1*x", "2x"), "add 3"],
    ["databases are empty for the most part", given("1*e", "2e", "3"), "defragment e-2"],
    ["the leader's database is, too", given("1*e", "2", "3"), "defragment e-1"],
    ["there is no room", { ...given("1*", "2", "3"), full: ["1"] }, "free space e-2 e-3 e-1"],
    ["there is no room, and a larger quota is wanted", { ...given("1*s", "2s", "3s"), full: ["1"] }, "renew e-2"],
    ["a snapshot is to be restored", given("1*", "2", "3"), "clear", { restore, lastOrdinal: 3 }],
    ["everything made way for it", nothing, "seed 4", { restore, lastOrdinal: 3 }],
    ["it has been restored", given("4*r"), "add 5", { restore, lastOrdinal: 4 }],
    ["nobody answers, and one was told to go on", unheard("1~", "2~", "3"), "recover e-3", { recoverFrom: "e-3" }],
    ["most answer: there will be a leader soon", unheard("1", "2", "3!"), "wait", { recoverFrom: "e-1" }],
    ["nobody answers", unheard("1~", "2~", "3"), "refuse"],
    ["nobody answers for a moment", unheard("1!", "2!", "3"), "wait", { recoverFrom: "e-3" }],
    ["two volumes of three are gone", { ...unheard("3"), voters: 3 }, "refuse"],
    ["the first has not answered yet", unheard("1!"), "wait"],
  ])("%s", (_, observed, step, more) => {
    expect(short(analyse(observed, { ...wanted, ...more }))).toBe(step);
  });
});
