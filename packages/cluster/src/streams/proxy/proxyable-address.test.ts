import { expect, test } from "vitest";
import { isProxyableAddress, resolveProxyableHost } from "./proxyable-address.ts";

test.each(["10.244.0.7", "192.168.1.1", "8.8.8.8", "fd00::1", "2001:db8::1", "::ffff:10.0.0.1"])("%s is proxyable", (address) => {
  expect(isProxyableAddress(address)).toBe(true);
});

test.each([
  "",
  "127.0.0.1",
  "127.64.0.2",
  "0.0.0.0",
  "169.254.169.254",
  "224.0.0.1",
  "255.255.255.255",
  "::",
  "::1",
  "fe80::1",
  "ff02::1",
  "::ffff:127.0.0.1",
  "::ffff:169.254.1.1",
  "localhost",
  "127.1",
  "127.0.0.1.",
])("%s is not proxyable", (address) => {
  expect(isProxyableAddress(address)).toBe(false);
});

test.each(["127.0.0.1", "localhost", "127.1", "2130706433", "::1", "169.254.169.254"])("refuses the host %s", async (host) => {
  await expect(resolveProxyableHost(host)).rejects.toThrow("address not allowed");
});
