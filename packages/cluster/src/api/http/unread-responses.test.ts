import { expect, test } from "vitest";
import { type UnreadResponse, UnreadResponses } from "./unread-responses.ts";

test("where clients leave too much unread, the connection with the most loses its responses", () => {
  const open: UnreadResponse[] = [];
  const aborted: UnreadResponse[] = [];
  const unread = new UnreadResponses({ snapshot: () => open }, 100);
  const respond = (connection: object, bytes: number) => {
    const response: UnreadResponse = {
      connection,
      unreadBytes: 0,
      isLarge: false,
      index: -1,
      expiresAt: 0,
      expire() {},
      abort: () => aborted.push(response),
    };
    open.push(response);
    unread.add(response, bytes);
    return response;
  };
  const [slow, quick] = [{}, {}];
  const first = respond(slow, 40);
  const read = respond(slow, 50);
  unread.delete(read);
  const other = respond(quick, 30);
  const second = respond(slow, 20);
  expect(aborted).toEqual([]);
  const third = respond(slow, 11);
  expect(aborted).toEqual([first, second, third]);
  expect(other.unreadBytes).toBe(30);
  respond(quick, 70);
  expect(aborted).toHaveLength(3);

  const large = { ...other, unreadBytes: 0 };
  expect([unread.addLarge(large, 90), unread.addLarge({ ...large }, 20)]).toEqual([true, false]);
  unread.delete(large);
  expect(unread.addLarge({ ...large }, 20)).toBe(true);
});
