import { expect, test } from "vitest";
import { createEtcdStreams } from "./etcd-streams.ts";
import { createEtcdctlEnvironment } from "./etcdctl-environment.ts";

const target = { namespace: "kube-system", pod: "etcd-node-1", uid: "", container: "etcd" };
const options = { stdin: false, stdout: true, stderr: true, tty: false };
const etcd = { endpoints: ["http://127.0.0.1:2379"] };

test("rejects with the way to install etcdctl if it is missing", async () => {
  const { exec, stop } = createEtcdStreams(etcd, { etcdctl: "/nowhere/etcdctl" });
  await expect(exec(target, ["etcdctl", "version"], options)).rejects.toThrow(
    /exec: "etcdctl": executable file not found in \$PATH: .* install it/,
  );
  await stop();
});

test("refuses programs that etcd's image does not contain", async () => {
  const { exec, stop } = createEtcdStreams(etcd);
  await expect(exec(target, ["sh"], options)).rejects.toThrow('exec: "sh": executable file not found in $PATH');
  await stop();
});

test("omits variables that the command line sets by flags", async () => {
  const { getVariables, close } = createEtcdctlEnvironment(etcd);
  expect(await getVariables(["get", "/"])).toEqual({ ETCDCTL_API: "3", ETCDCTL_ENDPOINTS: "http://127.0.0.1:2379" });
  expect(await getVariables(["--endpoints=http://other:2379", "get", "/"])).toEqual({ ETCDCTL_API: "3" });
  await close();
});
