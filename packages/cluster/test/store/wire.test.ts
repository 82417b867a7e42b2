import { expect, test } from "vitest";
import { rangeAnswer, rangeRequest, txnRequest, watchAnswer } from "../../src/store/etcd/messages.ts";
import { bytes, Fields, integer, message, nested } from "../../src/store/etcd/wire.ts";

test.each([1, 127, 128, 300, 2 ** 31, 2 ** 53 - 1, -1])("%d is the same after the wire", (value) => {
  expect(new Fields(message(integer(3, value))).integer(3)).toBe(value);
});

test("integers beyond 2^53 keep their digits", () => {
  expect(new Fields(message(integer(2, 14841639068965178418n))).exact(2)).toBe(14841639068965178418n);
});

test("requests are what etcd reads", () => {
  // As protoc encodes them by etcd's rpc.proto.
  expect(rangeRequest({ key: "/a/", end: "/a0", limit: 500, revision: 7 }).toString("hex")).toBe("0a032f612f12032f613018f4032007");
  expect(txnRequest({ key: "k", modRevision: 0, change: { delete: true } }).toString("hex")).toBe(
    "0a0710021a016b300012051a030a016b1a050a030a016b",
  );
  expect(txnRequest({ key: "k", modRevision: 300, change: { put: "v" } }).toString("hex")).toBe(
    "0a0810021a016b30ac02120812060a016b1201761a050a030a016b",
  );
});

test("answers are read, unknown fields and all", () => {
  const header = nested(1, message(integer(1, 5), integer(3, 42), integer(4, 2)));
  const pair = message(
    bytes(1, Buffer.from("/a/b")),
    integer(2, 3),
    integer(3, 40),
    integer(4, 9),
    bytes(5, Buffer.from("{}")),
    integer(6, 77),
  );
  expect(rangeAnswer(new Fields(message(header, nested(2, pair), integer(4, 1), bytes(99, Buffer.from("x")))))).toEqual({
    header: { clusterId: 5n, revision: 42 },
    found: [{ key: "/a/b", value: Buffer.from("{}"), modRevision: 40 }],
    more: false,
    count: 1,
  });
  const event = message(integer(1, 1), nested(2, message(bytes(1, Buffer.from("/a/b")), integer(3, 41))));
  expect(watchAnswer(new Fields(message(header, nested(11, event)))).events).toEqual([
    { type: "delete", at: { key: "/a/b", value: Buffer.alloc(0), modRevision: 41 } },
  ]);
});

test("a message that is cut short is not taken for a whole one", () => {
  expect(() => new Fields(Buffer.from("0a05", "hex")).text(1)).toThrow(RangeError);
  expect(() => new Fields(Buffer.from("08ff", "hex"))).toThrow(RangeError);
});
