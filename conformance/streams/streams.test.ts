import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { findKubectls, type Kubectl, keepRecorded } from "../../packages/cluster/test/kubectl/kubectls.ts";
import { full, seed } from "../sampling.ts";
import { type StartServer, startEmbeddedInProcess, startEmbeddedWithKubeletPort, startReal } from "./servers.ts";
import { recordSession } from "./session.ts";

const all = keepRecorded(findKubectls(), (minor) => existsSync(new URL(`golden/${minor}.txt`, import.meta.url)));
const one = all.filter((_, index) => index === seed % all.length);
/** The oldest kubectl uses SPDY, the newest WebSocket, those between a mix. */
const ends = all.filter((_, index) => index === 0 || index === all.length - 1);

/** Compares with the output of kubectl on a real kube-apiserver with our node behind a kubelet port. */
const golden = (start: StartServer) => async (kubectl: Kubectl) => {
  await expect(await recordSession(start, kubectl)).toMatchFileSnapshot(`golden/${kubectl.minor}.txt`);
};

describe("a running pod under kubectl", () => {
  it.each(full ? all : one)("$minor, with a real API server and our node behind a kubelet's port", golden(startReal));
  it.each(full ? all : ends)("$minor, with our API server and our node", golden(startEmbeddedInProcess));
  it.each(full ? all : one)("$minor, with our API server and our node behind a kubelet's port", golden(startEmbeddedWithKubeletPort));
});
