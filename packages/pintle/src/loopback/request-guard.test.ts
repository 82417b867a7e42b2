import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { BodyTooLarge, createRequestGuard, readBoundedBody } from "./index.ts";

const request = (headers: Readonly<Record<string, string>>, method = "GET", url = "/") => ({
  method,
  url,
  headers: { host: "127.0.0.1:8001", ...headers },
  rawHeaders: Object.entries({ host: "127.0.0.1:8001", ...headers }).flat(),
});
const check = createRequestGuard({ host: "127.0.0.1" });

test.each(["127.0.0.1", "127.0.0.1:8001", "localhost:8001", "[::1]:8001", "LocalHost"])("accepts Host %s", (host) => {
  expect(check(request({ host }))).toBeUndefined();
});

test.each([
  "evil.com",
  "evil.com:8001",
  "127.0.0.1.evil.com",
  "localhost.:8001",
  "localhost:8001:1",
  "localhost:99999",
  "a@localhost",
  "[::1",
  "",
  "10.0.0.1",
])("refuses Host %j on a loopback listener", (host) => {
  expect(check(request({ host }))).toMatchObject({ status: 403, message: expect.stringContaining(JSON.stringify(host)) });
});

test("refuses two Host headers and an absolute target of another host", () => {
  expect(check({ ...request({}), rawHeaders: ["Host", "127.0.0.1", "HOST", "evil.com"] })).toMatchObject({ status: 400 });
  expect(check(request({}, "GET", "http://evil.com/api"))).toMatchObject({ status: 403 });
  expect(check(request({}, "GET", "http://127.0.0.1:8001/api"))).toBeUndefined();
});

test("does not check the Host of a listener on all interfaces or on an outside address", () => {
  for (const host of [undefined, "0.0.0.0", "::", "10.0.0.1"])
    expect(createRequestGuard({ host })(request({ host: "10.0.0.1:8081" }))).toBeUndefined();
});

test.each([
  ["http://127.0.0.1:8001", undefined],
  ["http://localhost:8001", 403],
  ["http://127.0.0.1:3000", 403],
  ["https://127.0.0.1:8001", 403],
  ["http://evil.com", 403],
  ["null", 403],
  ["", 403],
])("Origin %j: %s", (origin, status) => {
  expect(check(request({ origin }))?.status).toBe(status);
});

test.each([
  ["none", undefined],
  ["same-origin", undefined],
  ["same-site", 403],
  ["cross-site", 403],
  ["Cross-Site", 403],
])("Sec-Fetch-Site %s: %s", (site, status) => {
  expect(check(request({ "sec-fetch-site": site }))?.status).toBe(status);
});

test.each([
  ["application/json", undefined],
  ["application/apply-patch+yaml", undefined],
  ["", 415],
  [";charset=utf-8", 415],
  ["text/plain;charset=UTF-8", 415],
  ["Application/X-WWW-Form-Urlencoded", 415],
  ["multipart/form-data; boundary=x", 415],
])("a body of the content type %j: %s", (type, status) => {
  for (const method of ["POST", "PUT", "PATCH", "DELETE"])
    expect(check(request({ "content-type": type, "content-length": "2" }, method))?.status).toBe(status);
});

test("a body needs a content type, also one of unknown length; a request without a body does not", () => {
  expect(check(request({ "transfer-encoding": "chunked" }, "POST"))?.status).toBe(415);
  expect(check(request({ "content-length": "0" }, "POST"))).toBeUndefined();
  expect(check(request({}, "DELETE"))).toBeUndefined();
  const untyped = createRequestGuard({ host: "127.0.0.1", untypedMethods: ["PATCH"] });
  expect(untyped(request({ "content-length": "2" }, "PATCH"))).toBeUndefined();
  expect(untyped(request({ "content-length": "2" }, "PUT"))?.status).toBe(415);
  const forms = createRequestGuard({ host: "127.0.0.1", allowFormTypes: true });
  expect(forms(request({ "content-type": "text/plain", "content-length": "2" }, "POST"))).toBeUndefined();
  expect(forms(request({ "content-length": "2" }, "POST"))?.status).toBe(415);
});

test("reads a body up to its limit, and up to what several bodies may take", async () => {
  const body = () => Readable.from([Buffer.from("ab"), Buffer.from("cd")]);
  expect((await readBoundedBody(body(), 4)).toString()).toBe("abcd");
  await expect(readBoundedBody(body(), 3)).rejects.toThrow(BodyTooLarge);
  let left = 6;
  const reserve = (bytes: number) => {
    left -= bytes;
    return left >= 0;
  };
  expect((await readBoundedBody(body(), 4, reserve)).toString()).toBe("abcd");
  await expect(readBoundedBody(body(), 4, reserve)).rejects.toThrow(BodyTooLarge);
});
