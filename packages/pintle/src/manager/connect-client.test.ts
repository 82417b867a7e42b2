import { expect, test } from "vitest";
import { ConnectionError, type Transport } from "../client/index.ts";
import { virtualClock } from "../clock/index.ts";
import { countRequests } from "./connect-client.ts";

test("RT-29 every request is counted by code, method and host, also without a response", async () => {
  const seen: string[] = [];
  const clock = virtualClock();
  const plain: Transport = {
    async request({ path }) {
      await clock.advance(30);
      if (path === "/lost") throw new ConnectionError({ message: "lost", request: "GET /lost" }, false);
      return { status: 201, headers: {}, json: async () => ({}), lines: () => [] as never, bytes: () => [] as never };
    },
    async close() {},
  };
  const counted = countRequests(plain, "host:6443", clock, (...labels) => void seen.push(labels.join(" ")));
  await counted.request({ method: "POST", path: "/there" });
  await expect(counted.request({ method: "GET", path: "/lost" })).rejects.toThrow("lost");
  expect(seen).toEqual(["201 POST host:6443 30", "<error> GET host:6443 30"]);
});
