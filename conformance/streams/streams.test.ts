import { describe, expect, it } from "vitest";
import { findKubectls, type Kubectl } from "../../packages/cluster/test/kubectl/kubectls.ts";
import { full, seed } from "../sampling.ts";
import { far, near, real, type Start } from "./servers.ts";
import { session } from "./session.ts";

const all = findKubectls();
const one = all.filter((_, index) => index === seed % all.length);
/** The oldest speaks SPDY, the newest WebSocket, those between each to some extent. */
const ends = all.filter((_, index) => index === 0 || index === all.length - 1);

/** What kubectl said when a real kube-apiserver asked our node, through a kubelet's port: what it has to say in any case. */
const golden = (start: Start) => async (kubectl: Kubectl) => {
  await expect(await session(start, kubectl)).toMatchFileSnapshot(`golden/${kubectl.minor}.txt`);
};

describe("a running pod under kubectl", () => {
  it.each(full ? all : one)("$minor, with a real API server and our node behind a kubelet's port", golden(real));
  it.each(full ? all : ends)("$minor, with our API server and our node", golden(near));
  it.each(full ? all : one)("$minor, with our API server and our node behind a kubelet's port", golden(far));
});
