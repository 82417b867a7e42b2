import { expect, test } from "vitest";
import { etcdStreams } from "./etcd-streams.ts";
import { etcdctlSettings } from "./etcdctl.ts";

const target = { namespace: "kube-system", pod: "etcd-node-1", uid: "", container: "etcd" };
const options = { stdin: false, stdout: true, stderr: true, tty: false };
const etcd = { endpoints: ["http://127.0.0.1:2379"] };

test("a machine without etcdctl is told to install it", async () => {
  const { exec, stop } = etcdStreams(etcd, { etcdctl: "/nowhere/etcdctl" });
  await expect(exec(target, ["etcdctl", "version"], options)).rejects.toThrow(
    /exec: "etcdctl": executable file not found in \$PATH: .* install it/,
  );
  await stop();
});

test("etcd's image has no shell, and neither has its pod", async () => {
  const { exec, stop } = etcdStreams(etcd);
  await expect(exec(target, ["sh"], options)).rejects.toThrow('exec: "sh": executable file not found in $PATH');
  await stop();
});

test("what a command line says itself is left to it", async () => {
  const { environment, close } = etcdctlSettings(etcd);
  expect(await environment(["get", "/"])).toEqual({ ETCDCTL_API: "3", ETCDCTL_ENDPOINTS: "http://127.0.0.1:2379" });
  expect(await environment(["--endpoints=http://other:2379", "get", "/"])).toEqual({ ETCDCTL_API: "3" });
  await close();
});
