import { expect, test } from "vitest";
import { isLinearizable, type Operation, type Outcome, type Request } from "./checker.ts";

const operation = (sent: number, answered: number, request: Request, outcome: Outcome): Operation => ({ request, outcome, sent, answered });
const create = (value: string): Request => ({ type: "create", value });
const update = (from: string, value: string): Request => ({ type: "update", from, value });
const read: Request = { type: "read" };
const done: Outcome = { type: "done" };
const found = (value: string): Outcome => ({ type: "value", value });
const unknown: Outcome = { type: "unknown" };
const created = operation(0, 1, create("a"), done);

test.each<[string, boolean, readonly Operation[]]>([
  ["a read of the last write", true, [created, operation(2, 3, read, found("a"))]],
  ["a stale read", false, [created, operation(2, 3, update("a", "b"), done), operation(4, 5, read, found("a"))]],
  ["either value while the update runs", true, [created, operation(2, 5, update("a", "b"), done), operation(3, 4, read, found("a"))]],
  [
    "a value that goes back",
    false,
    [created, operation(2, 9, update("a", "b"), done), operation(3, 4, read, found("b")), operation(5, 6, read, found("a"))],
  ],
  ["a lost update", false, [created, operation(2, 3, update("a", "b"), done), operation(2, 3, update("a", "c"), done)]],
  ["a conflict", true, [created, operation(2, 3, update("a", "b"), done), operation(2, 3, update("a", "c"), { type: "conflict" })]],
  ["a conflict without a cause", false, [created, operation(2, 3, update("a", "b"), { type: "conflict" })]],
  ["an acknowledged write that is gone", false, [created, operation(2, 3, read, { type: "missing" })]],
  ["an unknown write that took effect", true, [created, operation(2, 3, update("a", "b"), unknown), operation(9, 10, read, found("b"))]],
  ["an unknown write that did not", true, [created, operation(2, 3, update("a", "b"), unknown), operation(9, 10, read, found("a"))]],
  [
    "an unknown write that is taken back",
    false,
    [created, operation(2, 3, update("a", "b"), unknown), operation(4, 5, read, found("b")), operation(6, 7, read, found("a"))],
  ],
  ["two creates of one object", false, [created, operation(2, 3, create("b"), done)]],
  [
    "a create after a delete",
    true,
    [created, operation(2, 3, { type: "delete" }, done), operation(4, 5, create("b"), done), operation(6, 7, read, found("b"))],
  ],
])("returns %s for %s", (_name, expected, history) => {
  expect(isLinearizable(history)).toBe(expected);
});
