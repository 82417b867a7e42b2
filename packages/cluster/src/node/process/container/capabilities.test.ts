import { expect, test } from "vitest";
import { resolveCapabilities } from "./capabilities.ts";

test("resolveCapabilities returns containerd's 14 defaults for a container that requests nothing", () => {
  expect(resolveCapabilities()).toHaveLength(14);
  expect(resolveCapabilities({})).not.toContain("SYS_ADMIN");
});

test("resolveCapabilities applies ALL before single names, and drops what is added and dropped", () => {
  expect(resolveCapabilities({ capabilities: { drop: ["ALL"] } })).toEqual([]);
  expect(resolveCapabilities({ capabilities: { add: ["NET_BIND_SERVICE"], drop: ["ALL"] } })).toEqual(["NET_BIND_SERVICE"]);
  expect(resolveCapabilities({ capabilities: { add: ["net_admin"], drop: ["NET_ADMIN"] } })).not.toContain("NET_ADMIN");
  const most = resolveCapabilities({ capabilities: { add: ["ALL"], drop: ["CHOWN"] } });
  expect(most).toHaveLength(40);
  expect(most).not.toContain("CHOWN");
});

test("resolveCapabilities ignores unknown names and leaves privileged containers unrestricted", () => {
  expect(resolveCapabilities({ capabilities: { add: ["CAP_SYS_ADMIN", "--x"] } })).toEqual(resolveCapabilities());
  expect(resolveCapabilities({ privileged: true })).toBeUndefined();
});
