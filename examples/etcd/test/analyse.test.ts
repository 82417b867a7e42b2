import { describe, expect, test } from "vitest";
import { analyse, type Observed, type Seen, type Step } from "../src/analyse.ts";

const wanted = { size: 3, version: "3.6.5", replaceAfter: 60_000, lastOrdinal: 0 };

/** Members in short: "1" well, "2!" away, "3?" a learner, "1*" the leader, "4-" without a volume, "2~" away for long, "3<" of an older version. */
function given(...short: readonly string[]): Observed {
  const seen = short.map((text): Seen => {
    const name = `e-${Number.parseInt(text, 10)}`;
    const has = (mark: string) => text.includes(mark);
    const version = has("<") ? "3.5.20" : "3.6.5";
    const isUnstarted = has("-") && has("?");
    return {
      name,
      member: { id: name.slice(2), name: isUnstarted ? "" : name, peerURLs: [`http://${name}.x:2380`], learner: has("?") },
      volume: has("-") ? undefined : { name, ordinal: 1, initialCluster: "", state: "existing", version },
      healthy: !has("!") && !has("~") && !has("-"),
      leader: has("*"),
      running: version,
      awayFor: has("~") ? 100_000 : 0,
    };
  });
  return { members: seen.map(({ member }) => member!), seen };
}
function short(step: Step): string {
  if ("seen" in step) return `${step.do} ${step.seen.name}`;
  if (step.do === "hand over") return `hand over ${step.from.name} ${step.to.name}`;
  return step.do === "add" ? `add ${step.ordinal}` : step.do;
}

describe("the next step", () => {
  test.each<[what: string, observed: Observed, step: string, more?: Partial<typeof wanted>]>([
    ["nothing is there", { members: undefined, seen: [] }, "seed"],
    ["nothing is there any more", { members: undefined, seen: [] }, "refuse", { lastOrdinal: 3 }],
    ["only the first is there", given("1*"), "add 2"],
    ["a learner has caught up", given("1*", "2?"), "promote e-2"],
    ["a learner is starting", given("1*", "2?!"), "wait"],
    ["a learner has no volume yet", given("1*", "2?-"), "wait"],
    ["a learner never came", given("1*", "2?~"), "remove e-2"],
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
    ["all are old", given("1*<", "2<", "3<"), "upgrade e-2"],
    ["only the leader is old", given("1*<", "2", "3"), "hand over e-1 e-2"],
    ["one is old, another away", given("1*", "2<", "3!"), "wait"],
    ["a single one is old", given("1*<"), "upgrade e-1", { size: 1 }],
    ["two minors at once", given("1*<", "2<", "3<"), "refuse", { version: "3.7.0" }],
    ["back by a minor", given("1*", "2", "3"), "refuse", { version: "3.5.20" }],
    ["nobody answers", { members: undefined, seen: given("1!", "2!", "3").seen }, "refuse"],
    ["the first has not answered yet", { members: undefined, seen: given("1!").seen }, "wait"],
  ])("%s", (_, observed, step, more) => {
    expect(short(analyse(observed, { ...wanted, ...more }))).toBe(step);
  });
});
