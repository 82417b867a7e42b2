import { expect, test } from "vitest";
import { LongRequests } from "./long-requests.ts";

test("long requests have a place for each six seats, and one user half of them", () => {
  const places = new LongRequests(24);
  expect([places.add("a"), places.add("a"), places.add("a")]).toEqual([true, true, false]);
  expect([places.add("b"), places.add("c"), places.add("d")]).toEqual([true, true, false]);
  places.delete("a");
  expect([places.add("d"), places.add("a")]).toEqual([true, false]);
});
