import { expect, test } from "vitest";
import { parseEtcdSettings } from "../../src/dropin/etcd/etcd-settings.ts";
import { FLAGS } from "../../src/dropin/generated/kube-apiserver-flags.ts";
import { parseFlags } from "../../src/dropin/kube-apiserver/flags.ts";
import { DROPIN_FLAGS } from "../../src/dropin/kube-apiserver/server-help.ts";
import { listIgnoredFlags, parseServerSettings } from "../../src/dropin/kube-apiserver/server-settings.ts";

const NEEDED = [
  "--etcd-servers=http://127.0.0.1:2379",
  "--service-account-issuer=https://issuer",
  "--service-account-key-file=a.pub",
  "--service-account-signing-key-file=a.key",
];
const settings = (...words: string[]) => parseServerSettings(parseFlags([...NEEDED, ...words], FLAGS));

test("parses flags in every form of pflag", () => {
  const given = parseFlags(
    ["--secure-port", "7000", "--v=3", "-v", "4", "--allow-privileged", "--bind_address=::1", "--etcd-servers=a,b", "--etcd-servers=c"],
    FLAGS,
  );
  expect([given.text("secure-port"), given.text("v"), given.flag("allow-privileged"), given.text("bind-address")]).toEqual([
    "7000",
    "4",
    true,
    "::1",
  ]);
  expect(given.list("etcd-servers")).toEqual(["a", "b", "c"]);
  expect(given.text("etcd-prefix")).toBe("/registry");
});

test.each([
  [["--nope"], "unknown flag: --nope"],
  [["-q"], "unknown shorthand flag: 'q' in -q"],
  [["--secure-port"], "flag needs an argument: --secure-port"],
  [["--secure-port=x"], 'invalid argument "x" for "--secure-port" flag: strconv.ParseInt: parsing "x": invalid syntax'],
  [["--event-ttl=5x"], 'invalid argument "5x" for "--event-ttl" flag: time: unknown unit "x" in duration "5x"'],
  [["word"], '"kube-apiserver" does not take any arguments, got ["word"]'],
])("refuses %j", (words, text) => {
  expect(() => parseFlags(words, FLAGS)).toThrow(text);
});

test("supports the flags that envtest suites pass", () => {
  expect(
    settings(
      "--bind-address=127.0.0.1",
      "--secure-port=7000",
      "--cert-dir=/certs",
      "--client-ca-file=/ca",
      "--authorization-mode=RBAC",
      "--service-cluster-ip-range=10.1.0.0/24,fd00::/108",
      "--service-account-lookup=false",
      "--service-account-max-token-expiration=2h",
      "--enable-admission-plugins=NodeRestriction",
      "--disable-admission-plugins=ServiceAccount",
    ),
  ).toMatchObject({
    host: "127.0.0.1",
    port: 7000,
    certDir: "/certs",
    clientCaFile: "/ca",
    authorization: ["RBAC"],
    anonymous: true,
    serviceRange: "10.1.0.0/24",
    allowPrivileged: false,
    accounts: { issuers: ["https://issuer"], audiences: ["https://issuer"], keyFiles: ["a.pub"], lookup: false, longestSeconds: 7200 },
    plugins: { enable: ["NodeRestriction"], disable: ["ServiceAccount"] },
    nodePorts: { first: 30000, last: 32767 },
  });
});

test("disables anonymous requests with AlwaysAllow", () => {
  expect(settings()).toMatchObject({ authorization: ["AlwaysAllow"], anonymous: false });
  expect(settings("--authorization-mode=Node,RBAC", "--anonymous-auth=false")).toMatchObject({
    authorization: ["Node", "RBAC"],
    anonymous: false,
  });
});

test("reports all missing flags at once, and refuses unsupported values", () => {
  expect(() => parseServerSettings(parseFlags([], FLAGS))).toThrow(
    /^\[--etcd-servers must be specified, service-account-issuer is a required flag, .*\]$/,
  );
  expect(() => settings("--service-cluster-ip-range=fd00::/108")).toThrow("only IPv4");
});

test("accepts an empty storage media type, and the fields of /version", () => {
  expect(settings("--storage-media-type=").versionInfo).toEqual({});
  const given = parseFlags([...NEEDED, "--version-info=gitVersion=v1.36.9,gitCommit=abc"], [...FLAGS, ...DROPIN_FLAGS]);
  expect(parseServerSettings(given).versionInfo).toEqual({ gitVersion: "v1.36.9", gitCommit: "abc" });
  const unknown = parseFlags([...NEEDED, "--version-info=color=red"], [...FLAGS, ...DROPIN_FLAGS]);
  expect(() => parseServerSettings(unknown)).toThrow('--version-info: "color=red" must be name=value');
});

test("lists flags without effect, each once", () => {
  const given = parseFlags([...NEEDED, "--profiling=false", "--profiling=true", "--authorization-mode=Node,RBAC"], FLAGS);
  expect(listIgnoredFlags(given)).toEqual(["--profiling"]);
});

test.each([
  [
    "EventRateLimit",
    'failed to apply admission: couldn\'t init admission plugin "EventRateLimit": limits: Invalid value: null: must not be empty',
  ],
  ["ImagePolicyWebhook", 'failed to apply admission: couldn\'t init admission plugin "ImagePolicyWebhook": no config specified'],
])("refuses %s without its configuration", (plugin, message) => {
  expect(() => settings(`--enable-admission-plugins=${plugin}`)).toThrow(message);
  expect(settings(`--enable-admission-plugins=${plugin}`, "--admission-control-config-file=/some")).toBeDefined();
});

test("parses the flags and variables of etcd", () => {
  const client = ["--listen-client-urls=http://127.0.0.1:1,https://127.0.0.1:2", "-advertise-client-urls", "http://127.0.0.1:1"];
  expect(parseEtcdSettings([...client, "--unsafe-no-fsync"]).listen.map(({ href }) => href)).toEqual([
    "http://127.0.0.1:1/",
    "https://127.0.0.1:2/",
  ]);
  const env = { ETCD_LISTEN_CLIENT_URLS: "http://127.0.0.1:3", ETCD_ADVERTISE_CLIENT_URLS: "http://127.0.0.1:3" };
  expect(parseEtcdSettings([], env).listen.map(({ port }) => port)).toEqual(["3"]);
  expect(() => parseEtcdSettings(["--nope"])).toThrow("flag provided but not defined: -nope");
  expect(() => parseEtcdSettings(["--listen-client-urls=http://127.0.0.1:1"])).toThrow("--advertise-client-urls is required");
  expect(() => parseEtcdSettings(["--listen-client-urls=nowhere", "--advertise-client-urls=x"])).toThrow(
    "URL scheme must be http or https",
  );
});
