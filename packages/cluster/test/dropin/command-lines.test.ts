import { expect, test } from "vitest";
import { etcdSettings } from "../../src/dropin/etcd/etcd-flags.ts";
import { flags } from "../../src/dropin/flags.ts";
import { FLAGS } from "../../src/dropin/generated/kube-apiserver-flags.ts";
import { ignored, serverSettings } from "../../src/dropin/server-settings.ts";

const NEEDED = [
  "--etcd-servers=http://127.0.0.1:2379",
  "--service-account-issuer=https://issuer",
  "--service-account-key-file=a.pub",
  "--service-account-signing-key-file=a.key",
];
const settings = (...words: string[]) => serverSettings(flags([...NEEDED, ...words], FLAGS));

test("flags take their values in every form that pflag knows", () => {
  const given = flags(
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
])("%j is refused", (words, text) => {
  expect(() => flags(words, FLAGS)).toThrow(text);
});

test("what suites pass is honoured", () => {
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

test("where everybody may do everything, nobody is nobody", () => {
  expect(settings()).toMatchObject({ authorization: ["AlwaysAllow"], anonymous: false });
  expect(settings("--authorization-mode=Node,RBAC", "--anonymous-auth=false")).toMatchObject({ authorization: ["RBAC"], anonymous: false });
});

test("all that is missing is said at once, and what cannot be served is not ignored", () => {
  expect(() => serverSettings(flags([], FLAGS))).toThrow(
    /^\[--etcd-servers must be specified, service-account-issuer is a required flag, .*\]$/,
  );
  expect(() => settings("--service-cluster-ip-range=fd00::/108")).toThrow("IPv4 only");
});

test("flags without effect are named, each once", () => {
  const given = flags([...NEEDED, "--profiling=false", "--profiling=true", "--authorization-mode=Node,RBAC"], FLAGS);
  expect(ignored(given)).toEqual(["--profiling", "--authorization-mode=Node"]);
  const plugins = flags([...NEEDED, "--enable-admission-plugins=NodeRestriction,NamespaceAutoProvision"], FLAGS);
  expect(ignored(plugins)).toEqual(["--enable-admission-plugins=NamespaceAutoProvision"]);
});

test.each([
  [
    "EventRateLimit",
    'failed to apply admission: couldn\'t init admission plugin "EventRateLimit": limits: Invalid value: null: must not be empty',
  ],
  ["ImagePolicyWebhook", 'failed to apply admission: couldn\'t init admission plugin "ImagePolicyWebhook": no config specified'],
])("%s is refused without its configuration", (plugin, message) => {
  expect(() => settings(`--enable-admission-plugins=${plugin}`)).toThrow(message);
  expect(settings(`--enable-admission-plugins=${plugin}`, "--admission-control-config-file=/some")).toBeDefined();
});

test("etcd's flags, its variables, and its refusals", () => {
  const client = ["--listen-client-urls=http://127.0.0.1:1,https://127.0.0.1:2", "-advertise-client-urls", "http://127.0.0.1:1"];
  expect(etcdSettings([...client, "--unsafe-no-fsync"]).listen.map(({ href }) => href)).toEqual([
    "http://127.0.0.1:1/",
    "https://127.0.0.1:2/",
  ]);
  const env = { ETCD_LISTEN_CLIENT_URLS: "http://127.0.0.1:3", ETCD_ADVERTISE_CLIENT_URLS: "http://127.0.0.1:3" };
  expect(etcdSettings([], env).listen.map(({ port }) => port)).toEqual(["3"]);
  expect(() => etcdSettings(["--nope"])).toThrow("flag provided but not defined: -nope");
  expect(() => etcdSettings(["--listen-client-urls=http://127.0.0.1:1"])).toThrow("--advertise-client-urls is required");
  expect(() => etcdSettings(["--listen-client-urls=nowhere", "--advertise-client-urls=x"])).toThrow("URL scheme must be http or https");
});
