import { expect, test } from "vitest";
import { isLoopbackHost, isLoopbackUrl } from "./index.ts";

test.each(["localhost", "LOCALHOST", "127.0.0.1", "127.255.255.254", "::1", "[::1]", "0:0:0:0:0:0:0:1", "::ffff:127.0.0.1"])(
  "%s is this machine",
  (host) => {
    expect(isLoopbackHost(host)).toBe(true);
  },
);

test.each([
  ...["127.0.0.1.evil.com", "127.evil.com", "127.1", "0127.0.0.1", "127.0.0.1.", "127.0.0.256", "0.0.0.0", "128.0.0.1"],
  ...["localhost.evil.com", "localhost.", "evil.localhost", "localhost.localdomain", "xn--localhost", "lоcalhost"],
  ...[
    "::",
    "::2",
    "::1%eth0",
    "[::1",
    "::1]",
    "[::1].evil.com",
    "::ffff:128.0.0.1",
    "fe80::1",
    "",
    " localhost",
    "127.0.0.1:80",
    "a@127.0.0.1",
  ],
])("%j is not", (host) => {
  expect(isLoopbackHost(host)).toBe(false);
});

test.each([
  ["https://127.0.0.1:6443", true],
  ["https://[::1]:6443/", true],
  ["https://user:password@localhost", true],
  ["https://2130706433", true],
  ["https://127.0.0.1@evil.com", false],
  ["https://127.0.0.1:6443@evil.com", false],
  ["https://localhost%2eevil.com", false],
  ["https://localhost\\@evil.com", true],
  ["https://evil.com#@127.0.0.1", false],
  ["https://evil.com/127.0.0.1", false],
  ["https://127.0.0.1.nip.io", false],
  ["127.0.0.1", false],
])("URL %s: %s", (url, expected) => {
  expect(isLoopbackUrl(url)).toBe(expected);
});
