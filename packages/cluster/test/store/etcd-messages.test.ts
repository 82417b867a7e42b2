import { expect, test } from "vitest";
import { decodeRangeResponse, decodeWatchResponse, encodeRangeRequest, encodeTxnRequest } from "../../src/store/etcd/messages.ts";
import { concatFields, encodeBytes, encodeInteger, encodeMessage, MessageFields } from "../../src/store/etcd/protobuf-wire.ts";

test.each([1, 127, 128, 300, 2 ** 31, 2 ** 53 - 1, -1])("decodes the encoded integer %d", (value) => {
  expect(new MessageFields(concatFields(encodeInteger(3, value))).int64(3)).toBe(value);
});

test("keeps all digits of integers beyond 2^53", () => {
  expect(new MessageFields(concatFields(encodeInteger(2, 14841639068965178418n))).uint64(2)).toBe(14841639068965178418n);
});

test("encodes requests as etcd expects them", () => {
  // As protoc encodes them from etcd's rpc.proto.
  expect(encodeRangeRequest({ key: "/a/", rangeEnd: "/a0", limit: 500, revision: 7 }).toString("hex")).toBe(
    "0a032f612f12032f613018f4032007",
  );
  expect(encodeTxnRequest({ key: "k", modRevision: 0, change: { delete: true } }).toString("hex")).toBe(
    "0a0710021a016b300012051a030a016b1a050a030a016b",
  );
  expect(encodeTxnRequest({ key: "k", modRevision: 300, change: { put: "v" } }).toString("hex")).toBe(
    "0a0810021a016b30ac02120812060a016b1201761a050a030a016b",
  );
});

test("decodes responses and skips unknown fields", () => {
  const header = encodeMessage(1, concatFields(encodeInteger(1, 5), encodeInteger(3, 42), encodeInteger(4, 2)));
  const pair = concatFields(
    encodeBytes(1, Buffer.from("/a/b")),
    encodeInteger(2, 3),
    encodeInteger(3, 40),
    encodeInteger(4, 9),
    encodeBytes(5, Buffer.from("{}")),
    encodeInteger(6, 77),
  );
  expect(
    decodeRangeResponse(
      new MessageFields(concatFields(header, encodeMessage(2, pair), encodeInteger(4, 1), encodeBytes(99, Buffer.from("x")))),
    ),
  ).toEqual({
    header: { clusterId: 5n, revision: 42 },
    kvs: [{ key: "/a/b", value: Buffer.from("{}"), modRevision: 40 }],
    more: false,
    count: 1,
  });
  const event = concatFields(
    encodeInteger(1, 1),
    encodeMessage(2, concatFields(encodeBytes(1, Buffer.from("/a/b")), encodeInteger(3, 41))),
  );
  expect(decodeWatchResponse(new MessageFields(concatFields(header, encodeMessage(11, event)))).events).toEqual([
    { type: "delete", kv: { key: "/a/b", value: Buffer.alloc(0), modRevision: 41 } },
  ]);
});

test("throws for a truncated message", () => {
  expect(() => new MessageFields(Buffer.from("0a05", "hex")).string(1)).toThrow(RangeError);
  expect(() => new MessageFields(Buffer.from("08ff", "hex"))).toThrow(RangeError);
});
